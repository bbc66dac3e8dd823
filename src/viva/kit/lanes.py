"""Lanes: the waiting units that change the same rows are committed in one transaction."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from viva.kit.db import Connection, DatabaseDown, T, UnitOfWork
from viva.kit.postgres_connection import PostgresConnection
from viva.kit.units import Unit, error_for_caller

MAX_UNITS_PER_LANE_COMMIT = 64  # a caller that waits for the row waits for all of them


class Lanes:
    """Units by lane. `write_batch` sets the answer or the error of each unit of a batch."""

    def __init__(self, write_batch: Callable[[list[Unit]], Awaitable[None]]) -> None:
        self._write_batch = write_batch
        self._waiting: dict[str, list[Unit]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __contains__(self, lane: str) -> bool:
        return lane in self._waiting

    async def write(self, work: UnitOfWork[T], lane: str) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        unit = Unit(work, future)
        if lane in self._waiting:
            self._waiting[lane].append(unit)
        else:
            self._waiting[lane] = [unit]
            task = loop.create_task(self._write_lane(lane))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await future

    async def settle(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _write_lane(self, lane: str) -> None:
        """Write the waiting units batch by batch. While one batch is written, the next one collects."""
        waiting = self._waiting[lane]
        try:
            while waiting:
                batch = waiting[:MAX_UNITS_PER_LANE_COMMIT]
                del waiting[:MAX_UNITS_PER_LANE_COMMIT]
                try:
                    await self._write_batch(batch)
                except Exception as error:
                    for unit in batch:
                        unit.error = unit.error or error_for_caller(error)
                for unit in batch:
                    unit.settle()
        finally:
            del self._waiting[lane]


def write_batch(write_now: Callable[[UnitOfWork[Any]], Any], batch: list[Unit]) -> None:
    """Write the units in one transaction. If one of them fails, write each in its own, so that the others succeed."""
    try:
        answers = write_now(lambda db: run_all(db, batch))
    except DatabaseDown:
        raise  # the batch may be committed although its answer was lost
    except BaseException as error:
        if len(batch) == 1:
            batch[0].error = error_for_caller(error)
            return
        for unit in batch:
            write_alone(write_now, unit)
    else:
        for unit, answer in zip(batch, answers, strict=True):
            unit.answer = answer


def write_alone(write_now: Callable[[UnitOfWork[Any]], Any], unit: Unit) -> None:
    try:
        unit.answer = write_now(unit.work)
    except BaseException as error:
        unit.error = error_for_caller(error)


def run_all(db: Connection, batch: list[Unit]) -> list[Any]:
    if isinstance(db, PostgresConnection):
        db.is_shared = len(batch) > 1
    return [unit.work(db) for unit in batch]
