"""PostgreSQL: units run in threads, units of one lane in one transaction, and processes notify each other."""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from viva.kit.connections import BUSY_SECONDS, Connections, Driver, Server
from viva.kit.db import (
    Connection,
    Database,
    DatabaseBusy,
    DatabaseDown,
    DiskFull,
    Item,
    Params,
    RowLocked,
    T,
    TookTooLong,
    UnitOfWork,
    Violation,
    WorkOnAll,
)
from viva.kit.gathering import Gathering
from viva.kit.notifier import Notifier
from viva.kit.postgres_notify import NOTIFY, PostgresNotifier, payloads
from viva.kit.rows import Cursor
from viva.kit.units import BrokenUnit, Unit, error_to_give

# Reads have connections of their own, so that writers who all wait for the same row do not keep readers waiting. Writers
# are more, since those that wait for the disk share its answer. With four others, four processes need 92 of the 100
# that PostgreSQL allows by default.
WRITERS = 11
READERS = 8
MAX_UNIT_TRIES = 5  # of a unit that PostgreSQL took back because of another one
MAX_UNITS_PER_LANE_COMMIT = 64  # units of one lane in one transaction; whoever waits for the row waits for all of them

SHORT_LOCK_TIMEOUT = "SET lock_timeout = '100ms'"
WRITE = b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"  # all statements of the unit see the same moment

log = logging.getLogger(__name__)


class PostgresConnection(Connection):
    """A transaction, begun together with its first statement if `begin` is given: that saves a round trip."""

    skip_locked = "FOR UPDATE SKIP LOCKED"
    by_character = 'COLLATE "C"'
    place_in = "strpos"
    reads_row_by_row = False

    def __init__(self, driver: Driver, begin: bytes | None = None) -> None:
        self.driver = driver
        self.begin = begin
        self.is_shared = False  # with other units, so that no statement is the whole of it
        self.is_whole = False  # a statement was sent that commits itself
        self.woken: dict[str, None] = {}  # each topic once, in order

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        if self.is_whole:
            raise BrokenUnit("A unit went on after the statement that was to be the whole of it.")
        statement = with_percent_signs(sql)
        with refused_by_schema():
            if self.begin is None:
                return self.driver.execute(statement, params)
            begin, self.begin = self.begin, None
            with self.driver.pipeline():
                self.driver.execute(begin, prepare=True)
                return self.driver.execute(statement, params)

    def execute_whole(self, sql: str, params: Params = ()) -> Cursor:
        if self.begin is None or self.is_shared:
            return self.execute(sql, params)
        begin, self.begin, self.is_whole = self.begin, None, True
        with refused_by_schema():
            cursor = self.driver.execute(with_percent_signs(sql), params)
        if cursor.rowcount == 0:  # nothing was written: the unit may go on to find out why
            self.begin, self.is_whole = begin, False
        return cursor

    def wake(self, topic: str) -> None:
        self.woken[topic] = None

    def notify(self) -> None:
        """Pass the wake-ups on by this transaction."""
        self.is_whole = False
        self.execute(NOTIFY, [payloads(self.woken)])


@contextmanager
def refused_by_schema() -> Iterator[None]:
    try:
        yield
    except errors.IntegrityError as error:
        raise Violation(error.diag.constraint_name or error.diag.column_name or "") from error


@cache
def with_percent_signs(statement: str) -> bytes:
    """The statement with psycopg's placeholders in the place of `?` and `:name`."""
    statement = statement.replace("%", "%%").replace("?", "%s")
    return re.sub(r"(?<!:):([a-z_][a-z_0-9]*)", r"%(\1)s", statement).encode()


class PostgresDatabase(Database):
    def __init__(self, url: str) -> None:
        self.wakes = Notifier()
        self.url = url
        self._server = Server(url)
        self._writers, self._readers, self._aside = (
            Connections(self._server, WRITERS),
            Connections(self._server, READERS),
            Connections(self._server, 1),
        )
        # All posts of the process share a statement, so they wait only a moment for a row that somebody else has locked.
        self._together = Connections(self._server, 1, SHORT_LOCK_TIMEOUT)
        self._write_threads = ThreadPoolExecutor(WRITERS, "viva-write")
        self._read_threads = ThreadPoolExecutor(READERS, "viva-read")
        self._aside_thread = ThreadPoolExecutor(1, "viva-aside")
        self._together_thread = ThreadPoolExecutor(1, "viva-together")
        self._gathering = Gathering(self._write_items, self._write_apart)
        self._lanes: dict[str, list[Unit]] = {}
        self._lane_tasks: set[asyncio.Task[None]] = set()
        self._notifier = PostgresNotifier(self._server, self.wakes)

    async def write(self, work: UnitOfWork[T], lane: str | None = None) -> T:
        if lane is None:
            return await in_turn(self._write_threads, self.write_now, work)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        unit = Unit(work, future)
        if lane in self._lanes:
            self._lanes[lane].append(unit)
        else:
            self._lanes[lane] = [unit]
            task = loop.create_task(self._write_lane(lane))
            self._lane_tasks.add(task)
            task.add_done_callback(self._lane_tasks.discard)
        return await future

    async def write_together(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        if lane in self._lanes:  # somebody else had its rows locked a moment ago
            return await self._write_apart(work, item, lane)
        answer: T | None = await self._gathering.add(work, item, lane)
        return answer

    async def _write_items(self, work: WorkOnAll[Item, T], items: list[Item]) -> list[T | None]:
        run = lambda items: self._run(self._together, lambda db: work(db, items), WRITE)  # noqa: E731
        return await in_turn(self._together_thread, run, items)

    async def _write_apart(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        return (await self.write(lambda db: work(db, [item]), lane))[0]

    async def _write_lane(self, lane: str) -> None:
        """Write what waits in the lane, batch after batch. While one is on its way, the next one gathers."""
        waiting = self._lanes[lane]
        try:
            while waiting:
                batch = waiting[:MAX_UNITS_PER_LANE_COMMIT]
                del waiting[:MAX_UNITS_PER_LANE_COMMIT]
                try:
                    await in_turn(self._write_threads, self._write_batch, batch)
                except Exception as error:
                    for unit in batch:
                        unit.error = unit.error or error_to_give(error)
                for unit in batch:
                    unit.settle()
        finally:
            del self._lanes[lane]

    def _write_batch(self, batch: list[Unit]) -> None:
        """Write the units in one transaction. If one of them fails, write each in its own, so that others are not harmed."""
        try:
            answers = self.write_now(lambda db: run_all(db, batch))
        except DatabaseDown:
            raise  # a commit whose answer was lost may have been done
        except BaseException as error:
            if len(batch) == 1:
                batch[0].error = error_to_give(error)
                return
            for unit in batch:
                self._write_alone(unit)
        else:
            for unit, answer in zip(batch, answers, strict=True):
                unit.answer = answer

    def _write_alone(self, unit: Unit) -> None:
        try:
            unit.answer = self.write_now(unit.work)
        except BaseException as error:
            unit.error = error_to_give(error)

    async def read(self, work: UnitOfWork[T]) -> T:
        return await in_turn(self._read_threads, self.read_now, work)

    async def write_aside(self, work: UnitOfWork[T]) -> T:
        return await in_turn(self._aside_thread, lambda work: self._run(self._aside, work, WRITE), work)

    def write_now(self, work: UnitOfWork[T]) -> T:
        return self._run(self._writers, work, WRITE)

    def read_now(self, work: UnitOfWork[T]) -> T:
        return self._run(self._readers, work, READ)

    def _run(self, connections: Connections, work: UnitOfWork[T], begin: bytes) -> T:
        lost = False
        for _ in range(MAX_UNIT_TRIES):
            try:
                with connections.lend() as driver:
                    return self._run_once(PostgresConnection(driver, begin), work)
            except (errors.DeadlockDetected, errors.SerializationFailure) as error:
                log.info("Trying a unit again: %s", error)
            except ConnectionLost as error:
                if lost:
                    raise DatabaseDown() from error
                lost = True  # the server may have been restarted since the connection was last used
            except psycopg.Error as error:
                raise failure(error) from error
        raise DatabaseBusy()

    def _run_once(self, connection: PostgresConnection, work: UnitOfWork[T]) -> T:
        driver = connection.driver
        try:
            answer = work(connection)
            through_loop = self._notifier.is_running
            if connection.woken and not through_loop:
                connection.notify()
            if driver.info.transaction_status == TransactionStatus.INERROR:
                raise BrokenUnit("A unit went on after a statement had failed; nothing of it is written.")
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            if is_lost(driver, error):
                driver.close()
                # A statement that commits itself may have done so, though its answer was lost.
                raise (DatabaseDown if connection.is_whole else ConnectionLost)() from error
            roll_back(driver)
            raise
        except BaseException:
            roll_back(driver)
            raise
        driver.commit()
        if connection.woken and through_loop:
            self._notifier.notify(connection.woken)
        return answer

    async def listen(self) -> None:
        await self._notifier.run()

    async def settle(self) -> None:
        """Wait for the lanes. Other writes are waited for by their threads, and `close` waits for those."""
        await self._gathering.settle()
        if self._lane_tasks:
            await asyncio.wait(self._lane_tasks)
        unsent = self._notifier.take_unsent()
        if unsent:
            with suppress(DatabaseDown):
                await self.write(lambda db: db.execute(NOTIFY, [payloads(unsent)]))

    def close(self) -> None:
        for threads in (self._write_threads, self._read_threads, self._aside_thread, self._together_thread):
            threads.shutdown()
        for connections in (self._writers, self._readers, self._aside, self._together):
            connections.close()


class ConnectionLost(Exception):
    """The connection broke before the unit was committed; the unit may be run again."""


def run_all(db: Connection, batch: list[Unit]) -> list[Any]:
    if isinstance(db, PostgresConnection):
        db.is_shared = len(batch) > 1
    return [unit.work(db) for unit in batch]


async def in_turn(threads: ThreadPoolExecutor, run: Callable[[Any], T], work: Any) -> T:
    """Run the work in one of the threads. Whoever waited long for one is told to come back."""
    asked_at = time.monotonic()

    def outcome() -> T:
        if time.monotonic() - asked_at > BUSY_SECONDS:
            raise DatabaseBusy()
        try:
            return run(work)
        except BaseException as error:
            raise error_to_give(error) from error.__cause__

    return await asyncio.get_running_loop().run_in_executor(threads, outcome)


def roll_back(driver: Driver) -> None:
    """Take everything back. A connection that cannot do so is broken, and the server has done it."""
    try:
        driver.rollback()
    except psycopg.Error:
        driver.close()


def is_lost(driver: Driver, error: psycopg.Error) -> bool:
    return driver.closed or isinstance(error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow)


def failure(error: psycopg.Error) -> Exception:
    """The error of ours that says what the driver's means."""
    if isinstance(error, errors.IntegrityError):  # a deferred constraint, which speaks at the commit
        return Violation(error.diag.constraint_name or "")
    for kind, meaning in MEANINGS.items():
        if isinstance(error, kind):
            return meaning()
    return error


MEANINGS: dict[type[psycopg.Error], type[DatabaseDown]] = {
    errors.LockNotAvailable: RowLocked,
    errors.QueryCanceled: TookTooLong,
    errors.DiskFull: DiskFull,
    psycopg.OperationalError: DatabaseDown,
    psycopg.InterfaceError: DatabaseDown,
}
