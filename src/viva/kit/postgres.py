"""PostgreSQL: a pool of connections worked by threads, and LISTEN/NOTIFY between processes."""

import asyncio
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import psycopg
from psycopg import IsolationLevel, errors, sql
from psycopg.types.string import TextLoader
from psycopg_pool import ConnectionPool, PoolTimeout

from viva.kit.db import Answer, Connection, Database, DatabaseDown, Params, Violation, Work
from viva.kit.rows import Cursor
from viva.kit.wakes import Wakes

POOL = 16  # more connections are slower on a small machine: they wait for each other
TRIES = 5  # for units that PostgreSQL took back because of another one
PATIENCE = 10  # seconds to wait for a connection
CHANNEL = "viva"

log = logging.getLogger(__name__)


class PostgresConnection(Connection):
    skip_locked = "FOR UPDATE SKIP LOCKED"
    by_character = 'COLLATE "C"'
    place_in = "strpos"
    reads_row_by_row = False

    def __init__(self, driver: "psycopg.Connection[Any]") -> None:
        self.driver = driver

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        try:
            return self.driver.execute(with_percent_signs(sql), params)
        except errors.IntegrityError as error:
            raise Violation(error.diag.constraint_name or error.diag.column_name or "") from error

    def wake(self, topic: str) -> None:
        self.driver.execute("SELECT pg_notify(%s, %s)", [CHANNEL, topic])


@cache
def with_percent_signs(statement: str) -> bytes:
    """The statement with psycopg's placeholders in the place of `?` and `:name`."""
    statement = statement.replace("%", "%%").replace("?", "%s")
    return re.sub(r"(?<!:):([a-z_][a-z_0-9]*)", r"%(\1)s", statement).encode()


class PostgresDatabase(Database):
    def __init__(self, url: str) -> None:
        self.url = url
        self.wakes = Wakes()
        self._threads = ThreadPoolExecutor(POOL, "viva-database")
        self._pool = ConnectionPool(
            url,
            min_size=1,
            max_size=POOL,
            timeout=PATIENCE,
            open=True,
            configure=configure,
            kwargs={"options": "-c timezone=UTC", "connect_timeout": PATIENCE},
        )

    async def write(self, work: Work[Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.write_now, work)

    async def read(self, work: Work[Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.read_now, work)

    def write_now(self, work: Work[Answer]) -> Answer:
        return self._run(work, IsolationLevel.READ_COMMITTED)

    def read_now(self, work: Work[Answer]) -> Answer:
        return self._run(work, IsolationLevel.REPEATABLE_READ)  # all statements of the unit see the same moment

    def _run(self, work: Work[Answer], level: IsolationLevel) -> Answer:
        for _ in range(TRIES):
            try:
                with self._pool.connection() as driver:
                    driver.isolation_level = level
                    driver.read_only = level == IsolationLevel.REPEATABLE_READ
                    return work(PostgresConnection(driver))
            except (errors.DeadlockDetected, errors.SerializationFailure) as error:
                log.info("Trying a unit again: %s", error)
            except errors.IntegrityError as error:  # a deferred constraint, which speaks at the commit
                raise Violation(error.diag.constraint_name or "") from error
            except (psycopg.OperationalError, PoolTimeout) as error:
                raise DatabaseDown() from error
        raise DatabaseDown()

    async def listen(self) -> None:
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self.url, autocommit=True) as driver:
                    await driver.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
                    self.wakes.wake_all()  # for what was committed while nobody listened
                    async for notice in driver.notifies():
                        self.wakes.wake(notice.payload)
            except psycopg.OperationalError as error:
                log.warning("No connection to listen on (%s); trying again.", error)
                await asyncio.sleep(1)

    async def settle(self) -> None:
        """Each write is waited for by its thread, and `close` waits for the threads."""

    def close(self) -> None:
        self._threads.shutdown()
        self._pool.close()


def configure(driver: "psycopg.Connection[Any]") -> None:
    """JSON as text, as SQLite gives it; rows.py decodes both."""
    driver.adapters.register_loader("jsonb", TextLoader)
    driver.execute("SET statement_timeout = '30s'")
    driver.commit()
