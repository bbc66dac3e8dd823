"""Runs a call in a thread that does not delay the end of the process."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any


async def in_thread(function: Callable[[Any], Any], argument: Any) -> Any:
    """Return what the function returns, or raise its error. An executor's threads would delay the end of the process."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: Exception | None) -> None:
        if answer.done():  # the caller stopped waiting
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(error)

    def run() -> None:
        value, error = call(function, argument)
        with contextlib.suppress(RuntimeError):  # the loop is closed, so the caller stopped waiting
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name="viva-work", daemon=True).start()
    return await answer


def call(function: Callable[[Any], Any], argument: Any) -> tuple[Any, Exception | None]:
    try:
        return function(argument), None
    except StopIteration as error:  # a future cannot carry it
        return None, RuntimeError(repr(error))
    except Exception as error:
        return None, error
    except BaseException as error:  # such as SystemExit, which would end the whole process instead of one job
        return None, RuntimeError(repr(error))
