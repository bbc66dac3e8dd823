"""SQLite: units of work that wait are run one after the other and committed together."""

import asyncio
import logging
import os
import re
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from viva.kit.clock import format_time
from viva.kit.db import (
    Connection,
    Database,
    DatabaseDown,
    DatabaseMoved,
    DiskFull,
    Params,
    T,
    UnitOfWork,
    Violation,
)
from viva.kit.notifier import Notifier
from viva.kit.rows import Cursor
from viva.kit.units import Unit, error_to_give, fail_all

MAX_UNITS_PER_COMMIT = 128  # units committed together; a commit costs one fdatasync however many they are
BUSY_TIMEOUT_MS = 5_000  # another process (such as viva maintainer) may hold the file for a moment

sqlite3.register_adapter(datetime, format_time)
log = logging.getLogger(__name__)


class SqliteConnection(Connection):
    def __init__(self, driver: sqlite3.Connection) -> None:
        self.driver = driver
        self.woken: list[str] = []

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        try:
            return self.driver.execute(sql, params)
        except sqlite3.IntegrityError as error:
            raise Violation(constraint_named(str(error))) from error

    def wake(self, topic: str) -> None:
        self.woken.append(topic)


def constraint_named(message: str) -> str:
    """The constraint's name in a driver's message, spelled as PostgreSQL would: `table_column_key` for a UNIQUE one."""
    kind, _, what = message.partition(": ")
    if kind == "UNIQUE constraint failed":
        if what.startswith("index "):
            return what.removeprefix("index ").strip("'")
        table = what.partition(".")[0]
        return "_".join([table, *re.findall(r"\.(\w+)", what), "key"])
    return what or kind


class SqliteDatabase(Database):
    """The server's units run on its event loop: they take microseconds, and a thread of their own would spend more
    than that waiting for the interpreter's lock. Only what waits for the disk or for another process is in a thread."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.wakes = Notifier()
        self._writer = connect(self.path, "PRAGMA synchronous = FULL", "PRAGMA busy_timeout = 0")
        self._reader = connect(self.path, "PRAGMA query_only = ON")
        self._file = identity_of(self.path)
        self._disk = ThreadPoolExecutor(1, "viva-disk")
        self._waiting: list[Unit] = []
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

    async def write_aside(self, work: UnitOfWork[T]) -> T:
        return await self.write(work)  # one unit after the other: there is no aside

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:MAX_UNITS_PER_COMMIT], self._waiting[MAX_UNITS_PER_COMMIT:]
                await self._write_batch(batch)
        finally:
            self._writing = None

    async def _write_batch(self, batch: list[Unit]) -> None:
        """Commit the units and answer their callers. Nothing that goes wrong here stops the units that follow."""
        try:
            await self._commit(batch)
        except Exception as error:
            fail_all(batch, error)
        for unit in batch:
            unit.settle()
            if unit.error is None:
                self._wake(unit.woken)

    def _wake(self, topics: list[str]) -> None:
        try:
            for topic in topics:
                self.wakes.wake(topic)
        except Exception:  # the rows are written, and whoever waits looks again by itself
            log.exception("Could not wake those who wait")

    async def _commit(self, batch: list[Unit]) -> None:
        """Run the units in one transaction, each in a savepoint, so that one that fails takes back only itself."""
        loop = asyncio.get_running_loop()
        try:
            self._check_file()
            await self._begin()
            for unit in batch:
                run(self._writer, unit)
            await loop.run_in_executor(self._disk, self._writer.execute, "COMMIT")
        except DatabaseMoved as error:
            for unit in batch:
                unit.error = error
        except sqlite3.Error as error:
            take_back(self._writer)
            if isinstance(error, sqlite3.IntegrityError | BrokenTransaction) and len(batch) > 1:
                # A deferred constraint speaks only at the commit. Each unit answers for itself then.
                for unit in batch:
                    await self._commit([unit])
                return
            for unit in batch:
                unit.error = unit.error or failure(error)

    def _check_file(self) -> None:
        """Compare the file at the path with the open one. A write into a file that was moved is lost to all others."""
        if identity_of(self.path) != self._file:
            raise DatabaseMoved()

    async def _begin(self) -> None:
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:  # another process writes: wait for it, but not on the event loop
            await asyncio.get_running_loop().run_in_executor(self._disk, begin_patiently, self._writer)

    async def read(self, work: UnitOfWork[T]) -> T:
        return in_snapshot(self._reader, work)

    def write_now(self, work: UnitOfWork[T]) -> T:
        self._check_file()
        driver = self._own_driver()
        connection = SqliteConnection(driver)
        try:
            driver.execute("BEGIN IMMEDIATE")
            answer = work(connection)
            driver.execute("COMMIT")
        except sqlite3.Error as error:
            raise failure(error) from error
        finally:
            take_back(driver)
        if self._loop:
            for topic in connection.woken:
                self._loop.call_soon_threadsafe(self._wake, [topic])
        return answer

    def read_now(self, work: UnitOfWork[T]) -> T:
        return in_snapshot(self._own_driver(), work)

    def _own_driver(self) -> sqlite3.Connection:
        """The calling thread's own connection."""
        if not hasattr(self._local, "driver"):
            self._check_file()  # or this thread would see another file than the others
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
        if self._writing is not None:
            await self._writing

    def close(self) -> None:
        self._disk.shutdown()
        self._writer.close()
        self._reader.close()


class BrokenTransaction(sqlite3.OperationalError):
    """The transaction of a batch ended before its commit."""


def run(driver: sqlite3.Connection, unit: Unit) -> None:
    """Run the unit in a savepoint. What it raises is kept with it; only a broken transaction is raised here."""
    connection = SqliteConnection(driver)
    unit.answer, unit.error, unit.woken = None, None, connection.woken
    driver.execute("SAVEPOINT unit")
    try:
        unit.answer = unit.work(connection)
    except BaseException as error:
        unit.error = failure(error) if isinstance(error, sqlite3.Error) else error_to_give(error)
    try:
        if unit.error is not None:
            driver.execute("ROLLBACK TO unit")
        driver.execute("RELEASE unit")
    except sqlite3.OperationalError as error:  # also where SQLite itself took everything back, as for a full disk
        raise BrokenTransaction(str(error)) from error


def in_snapshot(driver: sqlite3.Connection, work: UnitOfWork[T]) -> T:
    """All statements of the unit see the same moment."""
    try:
        driver.execute("BEGIN")
        return work(SqliteConnection(driver))
    except sqlite3.OperationalError as error:
        raise failure(error) from error
    finally:
        take_back(driver)


def take_back(driver: sqlite3.Connection) -> None:
    if driver.in_transaction:
        driver.execute("ROLLBACK")


def failure(error: sqlite3.Error) -> Exception:
    """The error of ours that says what the driver's means."""
    if isinstance(error, sqlite3.IntegrityError):
        return Violation(constraint_named(str(error)))
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_ERROR or not isinstance(error, sqlite3.DatabaseError):  # a mistake in our SQL
        return error
    down = DiskFull() if code == sqlite3.SQLITE_FULL else DatabaseDown()
    down.__cause__ = error
    return down


def identity_of(path: Path) -> tuple[int, int] | None:
    """Which file is at the path, None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def begin_patiently(driver: sqlite3.Connection) -> None:
    driver.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    try:
        driver.execute("BEGIN IMMEDIATE")
    finally:
        driver.execute("PRAGMA busy_timeout = 0")


def make_file(path: Path) -> None:
    """The file, for its owner alone if it is new: exams that run are in it. SQLite gives its other files the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)


def connect(path: Path, *pragmas: str) -> sqlite3.Connection:
    make_file(path)
    driver = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    usual = (f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}", "PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON")
    for pragma in (*usual, *pragmas):
        driver.execute(pragma)
    # SQLite's own lower() knows the English alphabet only.
    driver.create_function("lower", 1, lambda text: text if text is None else str(text).lower(), deterministic=True)
    return driver
