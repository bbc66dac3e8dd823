"""The SQLite database: waiting units of work run one after the other and are committed together."""

import asyncio
import logging
import os
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from viva.kit.batching import ItemBatches
from viva.kit.db import Database, DatabaseMoved, Item, T, UnitOfWork, WorkOnAll
from viva.kit.notifier import Notifier
from viva.kit.sqlite_connection import SqliteConnection, begin_with_timeout, connect, roll_back, to_our_error
from viva.kit.units import Unit, error_for_caller, fail_all

MAX_UNITS_PER_COMMIT = 128  # a commit costs one fdatasync, whatever their number

log = logging.getLogger(__name__)


class SqliteDatabase(Database):
    """The server's units run on its event loop. They take microseconds, less than a thread waits for the interpreter's
    lock. A thread is used only to wait for the disk or for another process.

    The driver gives up that lock for every row. So a read of many rows is slow while another thread is busy."""

    reads_on_loop = True

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notifier = Notifier()
        self._writer = connect(self.path, "PRAGMA synchronous = FULL", "PRAGMA busy_timeout = 0")
        self._reader = connect(self.path, "PRAGMA query_only = ON")
        self._file = identity_of(self.path)
        self._disk = ThreadPoolExecutor(1, "viva-disk")
        self._waiting: list[Unit] = []
        self._batches = ItemBatches(self._write_items, self._write_alone)
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._local = threading.local()

    async def write(self, work: UnitOfWork[T], lane: str | None = None) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.append(Unit(work, future))
        if self._writing is None:
            self._writing = loop.create_task(self._write_all())
        return await future

    async def write_together(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        answer: T | None = await self._batches.add(work, item, lane)
        return answer

    async def _write_items(self, work: WorkOnAll[Item, T], items: list[Item]) -> list[T | None]:
        return await self.write(lambda db: work(db, items))

    async def _write_alone(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        return (await self._write_items(work, [item]))[0]

    async def write_aside(self, work: UnitOfWork[T]) -> T:
        return await self.write(work)  # units run one after the other, so none can overtake

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MAX_UNITS_PER_COMMIT], self._waiting[MAX_UNITS_PER_COMMIT:]
                await self._write_batch(batch)
        finally:
            self._writing = None

    async def _write_batch(self, batch: list[Unit]) -> None:
        """Commit the units and answer their callers. A failure here does not stop the units that follow."""
        try:
            await self._commit(batch)
        except Exception as error:
            fail_all(batch, error)
        for unit in batch:
            unit.settle()
            if unit.error is None:
                self._notify(unit.topics)

    def _notify(self, topics: list[str]) -> None:
        try:
            for topic in topics:
                self.notifier.notify(topic)
        except Exception:  # the rows are written, and subscribers also read at intervals
            log.exception("Could not notify the subscribers")

    async def _commit(self, batch: list[Unit]) -> None:
        """Run the units in one transaction. A failed unit undoes only itself."""
        loop = asyncio.get_running_loop()
        try:
            self._check_file()
            await self._begin()
            if not run_all(self._writer, batch, self.secret):
                roll_back(self._writer)
                await self._begin()
                for unit in batch:
                    run_in_savepoint(self._writer, unit, self.secret)
            await loop.run_in_executor(self._disk, self._writer.execute, "COMMIT")
        except DatabaseMoved as error:
            for unit in batch:
                unit.error = error
        except sqlite3.Error as error:
            roll_back(self._writer)
            if isinstance(error, sqlite3.IntegrityError | BrokenTransaction) and len(batch) > 1:
                # A deferred constraint fails only at the commit. Committing each unit alone finds the cause.
                for unit in batch:
                    await self._commit([unit])
                return
            for unit in batch:
                unit.error = unit.error or to_our_error(error)

    def _check_file(self) -> None:
        """Compare the file at the path with the open one. Other processes never see writes into a moved file."""
        if identity_of(self.path) != self._file:
            raise DatabaseMoved()

    async def _begin(self) -> None:
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:  # another process writes; waiting must not block the event loop
            await asyncio.get_running_loop().run_in_executor(self._disk, begin_with_timeout, self._writer)

    async def read(self, work: UnitOfWork[T]) -> T:
        connection = SqliteConnection(self._reader, self.secret)
        connection.is_on_loop = True
        return run_in_snapshot(connection, work)

    def write_now(self, work: UnitOfWork[T]) -> T:
        self._check_file()
        driver = self._own_driver()
        connection = SqliteConnection(driver, self.secret)
        try:
            driver.execute("BEGIN IMMEDIATE")
            answer = work(connection)
            driver.execute("COMMIT")
        except sqlite3.Error as error:
            raise to_our_error(error) from error
        finally:
            roll_back(driver)
        if self._loop:
            for topic in connection.topics:
                self._loop.call_soon_threadsafe(self._notify, [topic])
        return answer

    def read_now(self, work: UnitOfWork[T]) -> T:
        return run_in_snapshot(SqliteConnection(self._own_driver(), self.secret), work)

    def _own_driver(self) -> sqlite3.Connection:
        """The calling thread's own connection."""
        if not hasattr(self._local, "driver"):
            self._check_file()  # all threads must use the same file
            self._local.driver = connect(self.path, "PRAGMA synchronous = FULL")
        driver: sqlite3.Connection = self._local.driver
        return driver

    async def listen(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            await asyncio.Event().wait()
        finally:
            self._loop = None

    async def settle(self) -> None:
        await self._batches.settle()
        if self._writing is not None:
            await self._writing

    def close(self) -> None:
        self._disk.shutdown()
        self._writer.close()
        self._reader.close()
        if hasattr(self._local, "driver"):  # that of this thread; the others end with their threads
            self._local.driver.close()
            del self._local.driver


class BrokenTransaction(sqlite3.OperationalError):
    """The transaction of a batch ended before its commit."""


def run_all(driver: sqlite3.Connection, units: list[Unit], secret: bytes) -> bool:
    """Run the units without savepoints, for which SQLite copies each page that changes. False if that went wrong: a unit
    failed after it had written something, so all of them have to run again."""
    for unit in units:
        written = driver.total_changes
        run(driver, unit, secret)
        if not driver.in_transaction:  # SQLite itself rolled back, as for a full disk
            raise BrokenTransaction("The transaction ended before its commit.")
        if unit.error is not None and driver.total_changes != written:
            return False
    return True


def run(driver: sqlite3.Connection, unit: Unit, secret: bytes) -> None:
    """Run the unit. Its error is stored in it."""
    connection = SqliteConnection(driver, secret)
    unit.answer, unit.error, unit.topics = None, None, connection.topics
    try:
        unit.answer = unit.work(connection)
    except BaseException as error:
        unit.error = to_our_error(error) if isinstance(error, sqlite3.Error) else error_for_caller(error)


def run_in_savepoint(driver: sqlite3.Connection, unit: Unit, secret: bytes) -> None:
    """Run the unit in a savepoint, so that it can be undone alone. Only a broken transaction is raised here."""
    driver.execute("SAVEPOINT unit")
    run(driver, unit, secret)
    try:
        if unit.error is not None:
            driver.execute("ROLLBACK TO unit")
        driver.execute("RELEASE unit")
    except sqlite3.OperationalError as error:  # also when SQLite itself rolled back, as for a full disk
        raise BrokenTransaction(str(error)) from error


def run_in_snapshot(connection: SqliteConnection, work: UnitOfWork[T]) -> T:
    """Run the unit in one read transaction, so that all its statements see the same data."""
    try:
        connection.driver.execute("BEGIN")
        return work(connection)
    except sqlite3.OperationalError as error:
        raise to_our_error(error) from error
    finally:
        roll_back(connection.driver)


def identity_of(path: Path) -> tuple[int, int] | None:
    """The device and inode of the file at the path, or None without a file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
