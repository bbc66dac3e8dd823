"""Items of many callers that are worked on together: while one batch is on its way, the next one gathers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from viva.kit.db import DatabaseDown, RowLocked, WorkOnAll
from viva.kit.units import error_to_give

MAX_BATCH_ITEMS = 64  # whoever waits for one of their rows waits for all of them

WriteItems = Callable[[WorkOnAll[Any, Any], list[Any]], Awaitable[list[Any]]]
WriteApart = Callable[[WorkOnAll[Any, Any], Any, str], Awaitable[Any]]


class Gathered(NamedTuple):
    """One caller's item, the lane it belongs to, and where its answer goes."""

    item: Any
    lane: str
    future: "asyncio.Future[Any]"


class Gathering:
    def __init__(self, write_items: WriteItems, write_apart: WriteApart) -> None:
        self._write_items = write_items
        self._write_apart = write_apart
        self._waiting: dict[WorkOnAll[Any, Any], list[Gathered]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def add(self, work: WorkOnAll[Any, Any], item: Any, lane: str) -> Any:
        gathered = Gathered(item, lane, asyncio.get_running_loop().create_future())
        if work in self._waiting:
            self._waiting[work].append(gathered)
        else:
            self._waiting[work] = [gathered]
            self._start(self._write_all(work))
        return await gathered.future

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

    async def _write_batch(self, work: WorkOnAll[Any, Any], batch: list[Gathered]) -> None:
        try:
            answers = await self._write_items(work, [gathered.item for gathered in batch])
        except Exception as error:
            for gathered in batch:
                if isinstance(error, DatabaseDown) and not isinstance(error, RowLocked):
                    fail(gathered, error)  # it may have been written though the answer was lost
                else:
                    self._start(self._settle_apart(work, gathered))
            return
        for gathered, answer in zip(batch, answers, strict=True):
            if not gathered.future.done():
                gathered.future.set_result(answer)

    async def _settle_apart(self, work: WorkOnAll[Any, Any], gathered: Gathered) -> None:
        """Write the item without those that might have been the reason for the failure."""
        try:
            answer = await self._write_apart(work, gathered.item, gathered.lane)
        except Exception as error:
            fail(gathered, error)
            return
        if not gathered.future.done():
            gathered.future.set_result(answer)


def fail(gathered: Gathered, error: Exception) -> None:
    if not gathered.future.done():
        gathered.future.set_exception(error_to_give(error))
