"""Batches of items: one statement works on the items of many callers, and the next batch collects meanwhile."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from viva.kit.db import DatabaseDown, RowLocked, WorkOnAll
from viva.kit.units import error_for_caller

MAX_BATCH_ITEMS = 64  # a caller that waits for one of their rows waits for all of them

WriteItems = Callable[[WorkOnAll[Any, Any], list[Any]], Awaitable[list[Any]]]
WriteAlone = Callable[[WorkOnAll[Any, Any], Any, str], Awaitable[Any]]


class WaitingItem(NamedTuple):
    """One caller's item, its lane, and the future for its answer."""

    item: Any
    lane: str
    future: "asyncio.Future[Any]"


class ItemBatches:
    """The items that wait, by the work to be done on them."""

    def __init__(self, write_items: WriteItems, write_alone: WriteAlone) -> None:
        self._write_items = write_items
        self._write_alone = write_alone
        self._waiting: dict[WorkOnAll[Any, Any], list[WaitingItem]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def add(self, work: WorkOnAll[Any, Any], item: Any, lane: str) -> Any:
        """Write the item with the next batch, and return its answer."""
        waiting = WaitingItem(item, lane, asyncio.get_running_loop().create_future())
        if work in self._waiting:
            self._waiting[work].append(waiting)
        else:
            self._waiting[work] = [waiting]
            self._start(self._write_all(work))
        return await waiting.future

    async def settle(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, run: Any) -> None:
        task = asyncio.create_task(run)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _write_all(self, work: WorkOnAll[Any, Any]) -> None:
        waiting = self._waiting[work]
        try:
            while waiting:
                batch = waiting[:MAX_BATCH_ITEMS]
                del waiting[:MAX_BATCH_ITEMS]
                await self._write_batch(work, batch)
        finally:
            del self._waiting[work]

    async def _write_batch(self, work: WorkOnAll[Any, Any], batch: list[WaitingItem]) -> None:
        try:
            answers = await self._write_items(work, [waiting.item for waiting in batch])
        except Exception as error:
            for waiting in batch:
                if isinstance(error, DatabaseDown) and not isinstance(error, RowLocked):
                    fail(waiting, error)  # the batch may be committed although its answer was lost
                else:
                    self._start(self._settle_alone(work, waiting))
            return
        for waiting, answer in zip(batch, answers, strict=True):
            if not waiting.future.done():
                waiting.future.set_result(answer)

    async def _settle_alone(self, work: WorkOnAll[Any, Any], waiting: WaitingItem) -> None:
        """Write the item without the others, since any of them may have caused the failure."""
        try:
            answer = await self._write_alone(work, waiting.item, waiting.lane)
        except Exception as error:
            fail(waiting, error)
            return
        if not waiting.future.done():
            waiting.future.set_result(answer)


def fail(waiting: WaitingItem, error: Exception) -> None:
    if not waiting.future.done():
        waiting.future.set_exception(error_for_caller(error))
