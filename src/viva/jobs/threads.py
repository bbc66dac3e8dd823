"""A call in a thread that the end of the process does not wait for."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any


async def in_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """What the function answers or raises. An executor's threads would hold up the end of the process until they end."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: Exception | None) -> None:
        if answer.done():  # nobody waits any more
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    def run() -> None:
        value, error = outcome(function, argument)
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name="viva-work", daemon=True).start()
    return await answer


def outcome(function: Callable[[Any], Any], argument: Any) -> tuple[Any, Exception | None]:
    try:
        return function(argument), None
    except StopIteration as error:  # which no future carries
        return None, RuntimeError(repr(error))
    except Exception as error:
        return None, error
    except BaseException as error:  # such as SystemExit, which would end the whole process in the place of one job
        return None, RuntimeError(repr(error))
