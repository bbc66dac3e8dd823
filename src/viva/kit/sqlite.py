"""SQLite: one writer thread that commits waiting units of work together, and reader threads beside it."""

import asyncio
import contextlib
import queue
import re
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from viva.kit.clock import written
from viva.kit.db import Answer, Connection, Database, DatabaseDown, Params, Violation, Work
from viva.kit.rows import Cursor
from viva.kit.wakes import Wakes

BATCH = 128  # units committed together; a commit costs one fdatasync however many they are
READERS = 4
BUSY_MS = 5_000  # another process (viva maintainer, viva backup) may hold the file for a moment

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

    def __init__(self, work: Work[Any], settle: Callable[["Unit"], None], loop: asyncio.AbstractEventLoop | None) -> None:
        self.work = work
        self.settle = settle
        self.loop = loop
        self.answer: Any = None
        self.error: Exception | None = None
        self.woken: list[str] = []

    def settle_future(self, future: "asyncio.Future[Any] | Future[Any]") -> None:
        if future.cancelled():
            return
        if self.error is not None:
            future.set_exception(self.error)
        else:
            future.set_result(self.answer)


class SqliteDatabase(Database):
    several_processes = False

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.wakes = Wakes()
        self._units: queue.SimpleQueue[Unit | None] = queue.SimpleQueue()
        self._local = threading.local()
        self._readers = ThreadPoolExecutor(READERS, "viva-reader")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer = threading.Thread(target=self._write_until_closed, name="viva-writer", daemon=True)
        self._writer.start()

    async def write(self, work: Work[Answer]) -> Answer:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        self._units.put(Unit(work, lambda unit: unit.settle_future(future), loop))
        return await future

    def write_now(self, work: Work[Answer]) -> Answer:
        future: Future[Answer] = Future()
        self._units.put(Unit(work, lambda unit: unit.settle_future(future), None))
        return future.result()

    async def read(self, work: Work[Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._readers, self.read_now, work)

    def read_now(self, work: Work[Answer]) -> Answer:
        if not hasattr(self._local, "driver"):
            self._local.driver = connect(self.path, "PRAGMA query_only = ON")
        driver = self._local.driver
        driver.execute("BEGIN")  # one snapshot for all statements of the unit
        try:
            return work(SqliteConnection(driver))
        except sqlite3.OperationalError as error:
            raise DatabaseDown() from error
        finally:
            driver.execute("ROLLBACK")

    async def listen(self) -> None:
        self._loop = asyncio.get_running_loop()
        await asyncio.Event().wait()

    def close(self) -> None:
        self._units.put(None)
        self._writer.join()
        self._readers.shutdown()

    def _write_until_closed(self) -> None:
        driver = connect(self.path, "PRAGMA synchronous = FULL")
        closing = False
        while not closing:
            batch = [unit for unit in self._waiting() if unit is not None or not (closing := True)]
            commit(driver, batch)
            self._tell(batch)
        driver.close()

    def _waiting(self) -> list[Unit | None]:
        """At least one unit, and those that came while the last batch was committed."""
        batch = [self._units.get()]
        with contextlib.suppress(queue.Empty):
            while len(batch) < BATCH:
                batch.append(self._units.get_nowait())
        return batch

    def _tell(self, batch: list[Unit]) -> None:
        woken = {topic for unit in batch if unit.error is None for topic in unit.woken}
        if woken and self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: [self.wakes.wake(topic) for topic in woken])
        for loop in {unit.loop for unit in batch}:
            settling = [unit for unit in batch if unit.loop is loop]
            if loop is None:
                settle(settling)
            elif not loop.is_closed():
                loop.call_soon_threadsafe(settle, settling)


def settle(units: list[Unit]) -> None:
    for unit in units:
        unit.settle(unit)


def commit(driver: sqlite3.Connection, batch: list[Unit]) -> None:
    """Run the units in one transaction, each in a savepoint, so that one that fails takes back only itself."""
    if not batch:
        return
    try:
        driver.execute("BEGIN IMMEDIATE")
        for unit in batch:
            run(driver, unit)
        driver.execute("COMMIT")
    except sqlite3.Error as error:
        if driver.in_transaction:
            driver.execute("ROLLBACK")
        if isinstance(error, sqlite3.IntegrityError) and len(batch) > 1:
            # A deferred constraint speaks only at the commit: let each unit answer for itself.
            for unit in batch:
                commit(driver, [unit])
            return
        for unit in batch:
            unit.error = failure(error)


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


def failure(error: sqlite3.Error) -> Exception:
    if isinstance(error, sqlite3.IntegrityError):
        return Violation(constraint_named(str(error)))
    down = DatabaseDown()
    down.__cause__ = error
    return down


def connect(path: Path, pragma: str) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    driver = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON", f"PRAGMA busy_timeout = {BUSY_MS}", pragma):
        driver.execute(statement)
    return driver
