"""A caller's unit of work, waiting for its turn, and where its outcome goes."""

import asyncio
import logging
from collections.abc import Iterable
from typing import Any

from viva.kit.db import UnitOfWork

log = logging.getLogger(__name__)


class BrokenUnit(RuntimeError):
    """A unit raised what no caller can be given, such as StopIteration or a cancellation."""


class Unit:
    """One caller's work. Its error and its answer are set by whoever runs it."""

    def __init__(self, work: UnitOfWork[Any], future: "asyncio.Future[Any]") -> None:
        self.work = work
        self.future = future
        self.answer: Any = None
        self.error: Exception | None = None
        self.woken: list[str] = []

    def settle(self) -> None:
        """Give the caller its outcome, unless it no longer waits."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.answer)


def error_to_give(error: BaseException) -> Exception:
    """The error as a future takes it. StopIteration breaks a future, and a cancellation would look like the caller's own."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    broken = BrokenUnit(f"A unit of work ended with {type(error).__name__}.")
    broken.__cause__ = error
    return broken


def fail_all(units: Iterable[Unit], error: BaseException) -> None:
    """Give every unit the error, for a batch that broke off where nobody expected it."""
    log.error("A batch of units broke off", exc_info=error)
    for unit in units:
        unit.error = error_to_give(error)
