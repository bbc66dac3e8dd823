"""SQLite: units of work that wait are run one after the other and committed together."""

import asyncio
import re
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from viva.kit.clock import written
from viva.kit.db import Answer, Connection, Database, DatabaseDown, Params, Violation, Work
from viva.kit.rows import Cursor
from viva.kit.wakes import Wakes

BATCH = 128  # units committed together; a commit costs one fdatasync however many they are
BUSY_MS = 5_000  # another process (such as viva maintainer) may hold the file for a moment

sqlite3.register_adapter(datetime, written)


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


class Unit:
    """One caller's work, and where its outcome goes."""

    def __init__(self, work: Work[Any], future: "asyncio.Future[Any]") -> None:
        self.work = work
        self.future = future
        self.answer: Any = None
        self.error: Exception | None = None
        self.woken: list[str] = []

    def settle(self) -> None:
        if self.future.cancelled():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.answer)


class SqliteDatabase(Database):
    """The server's units run on its event loop: they take microseconds, and a thread of their own would spend more
    than that waiting for the interpreter's lock. Only what waits for the disk or for another process is in a thread."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.wakes = Wakes()
        self._writer = connect(self.path, "PRAGMA synchronous = FULL", "PRAGMA busy_timeout = 0")
        self._reader = connect(self.path, "PRAGMA query_only = ON")
        self._disk = ThreadPoolExecutor(1, "viva-disk")
        self._waiting: list[Unit] = []
        self._writing: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._local = threading.local()

    async def write(self, work: Work[Answer]) -> Answer:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        self._waiting.append(Unit(work, future))
        if self._writing is None:
            self._writing = loop.create_task(self._write_all())
        return await future

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            await self._commit(batch)
            for unit in batch:
                unit.settle()
                if unit.error is None:
                    for topic in unit.woken:
                        self.wakes.wake(topic)
        self._writing = None

    async def _commit(self, batch: list[Unit]) -> None:
        """Run the units in one transaction, each in a savepoint, so that one that fails takes back only itself."""
        loop = asyncio.get_running_loop()
        try:
            await self._begin()
            for unit in batch:
                run(self._writer, unit)
            await loop.run_in_executor(self._disk, self._writer.execute, "COMMIT")
        except sqlite3.Error as error:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
            if isinstance(error, sqlite3.IntegrityError) and len(batch) > 1:
                # A deferred constraint speaks only at the commit: let each unit answer for itself.
                for unit in batch:
                    await self._commit([unit])
                return
            for unit in batch:
                unit.error = failure(error)

    async def _begin(self) -> None:
        try:
            self._writer.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:  # another process writes: wait for it, but not on the event loop
            await asyncio.get_running_loop().run_in_executor(self._disk, begin_patiently, self._writer)

    async def read(self, work: Work[Answer]) -> Answer:
        return in_snapshot(self._reader, work)

    def write_now(self, work: Work[Answer]) -> Answer:
        driver = self._own_driver()
        connection = SqliteConnection(driver)
        try:
            driver.execute("BEGIN IMMEDIATE")
            answer = work(connection)
            driver.execute("COMMIT")
        except sqlite3.Error as error:
            raise failure(error) from error
        finally:
            if driver.in_transaction:
                driver.execute("ROLLBACK")
        if self._loop:
            for topic in connection.woken:
                self._loop.call_soon_threadsafe(self.wakes.wake, topic)
        return answer

    def read_now(self, work: Work[Answer]) -> Answer:
        return in_snapshot(self._own_driver(), work)

    def _own_driver(self) -> sqlite3.Connection:
        """The calling thread's own connection."""
        if not hasattr(self._local, "driver"):
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


def run(driver: sqlite3.Connection, unit: Unit) -> None:
    connection = SqliteConnection(driver)
    unit.answer, unit.error, unit.woken = None, None, connection.woken
    driver.execute("SAVEPOINT unit")
    try:
        unit.answer = unit.work(connection)
    except Exception as error:
        unit.error = error
        driver.execute("ROLLBACK TO unit")
    driver.execute("RELEASE unit")


def in_snapshot(driver: sqlite3.Connection, work: Work[Answer]) -> Answer:
    """All statements of the unit see the same moment."""
    try:
        driver.execute("BEGIN")
        return work(SqliteConnection(driver))
    except sqlite3.OperationalError as error:
        raise DatabaseDown() from error
    finally:
        if driver.in_transaction:
            driver.execute("ROLLBACK")


def failure(error: sqlite3.Error) -> Exception:
    if isinstance(error, sqlite3.IntegrityError):
        return Violation(constraint_named(str(error)))
    down = DatabaseDown()
    down.__cause__ = error
    return down


def begin_patiently(driver: sqlite3.Connection) -> None:
    driver.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
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
    usual = (f"PRAGMA busy_timeout = {BUSY_MS}", "PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON")
    for pragma in (*usual, *pragmas):
        driver.execute(pragma)
    # SQLite's own lower() knows the English alphabet only.
    driver.create_function("lower", 1, lambda text: text if text is None else str(text).lower(), deterministic=True)
    return driver
