"""One caller's unit of work, and its outcome."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from viva.kit.db import T, UnitOfWork

log = logging.getLogger(__name__)


class BrokenUnit(RuntimeError):
    """A unit raised something that cannot be passed to its caller, such as StopIteration or a cancellation."""


class Unit:
    """One caller's work. The code that runs it sets its answer or its error."""

    def __init__(self, work: UnitOfWork[Any], future: "asyncio.Future[Any]") -> None:
        self.work = work
        self.future = future
        self.answer: Any = None
        self.error: Exception | None = None
        self.topics: list[str] = []  # to notify after the commit

    def settle(self) -> None:
        """Pass the outcome to the caller, unless the caller stopped waiting."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.answer)


def error_for_caller(error: BaseException) -> Exception:
    """The error in a form that a future takes.

    StopIteration breaks a future. A cancellation would look like the caller's own."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    broken = BrokenUnit(f"A unit of work ended with {type(error).__name__}.")
    broken.__cause__ = error
    return broken


async def run_in_threads(threads: ThreadPoolExecutor, run: Callable[[], T]) -> T:
    """Run it in one of the threads. Every error reaches the caller."""

    def run_for_caller() -> T:
        try:
            return run()
        except BaseException as error:
            raise error_for_caller(error) from error.__cause__

    return await asyncio.get_running_loop().run_in_executor(threads, run_for_caller)


def fail_all(units: Iterable[Unit], error: BaseException) -> None:
    """Give every unit the error, after a batch failed unexpectedly."""
    log.error("A batch of units failed", exc_info=error)
    for unit in units:
        unit.error = error_for_caller(error)
