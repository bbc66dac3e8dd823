"""A pool of connections to a PostgreSQL server. During an outage it refuses callers at once."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, LiteralString

import psycopg
from psycopg.types.string import TextLoader

from viva.kit.db import DatabaseBusy, DatabaseDown

CONNECT_TIMEOUT_SECONDS = 3
RETRY_SECONDS = 1  # between two attempts to reach a server that is down
CONNECTION_WAIT_SECONDS = 5  # for a free connection; after that the caller is told to try again

# A unit waits only briefly for a locked row, since the process that holds the lock may hang.
LOCK_TIMEOUT_SECONDS = 2
STATEMENT_TIMEOUT_SECONDS = 30
IDLE_IN_TRANSACTION_SECONDS = 60  # a unit takes milliseconds; one that hangs must release its locks
SERVER_OPTIONS = " ".join(
    f"-c {setting}"
    for setting in (
        "timezone=UTC",
        f"lock_timeout={LOCK_TIMEOUT_SECONDS}s",
        f"statement_timeout={STATEMENT_TIMEOUT_SECONDS}s",
        f"idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_SECONDS}s",
    )
)
APPLICATION_NAME = "viva"  # by which a restore notices that a hub is connected
# These notice a silent loss of the server within seconds; TCP alone takes 15 minutes.
NETWORK_OPTIONS: dict[str, Any] = {
    "application_name": APPLICATION_NAME,
    "connect_timeout": CONNECT_TIMEOUT_SECONDS,
    "tcp_user_timeout": 10_000,  # milliseconds
    "keepalives_idle": 30,  # seconds
}

Driver = psycopg.Connection[Any]
log = logging.getLogger(__name__)


class Server:
    """Makes connections, and remembers whether the server is reachable."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self._down_since: float | None = None
        self._retry_at = 0.0

    def connect(self) -> Driver:
        self._check_outage()
        try:
            driver = psycopg.connect(self.url, autocommit=True, options=SERVER_OPTIONS, **NETWORK_OPTIONS)
        except psycopg.OperationalError as error:
            self.note_down(error)
            raise DatabaseDown() from error
        self.note_up()
        configure(driver)
        return driver

    async def connect_async(self) -> "psycopg.AsyncConnection[Any]":
        try:
            driver = await psycopg.AsyncConnection.connect(
                self.url, autocommit=True, options=SERVER_OPTIONS, **NETWORK_OPTIONS
            )
        except psycopg.OperationalError as error:
            self.note_down(error)
            raise
        self.note_up()
        return driver

    def _check_outage(self) -> None:
        """During an outage one caller tries to connect, and the others fail at once."""
        with self._lock:
            if self._down_since is None:
                return
            moment = time.monotonic()
            if moment < self._retry_at:
                raise DatabaseDown()
            self._retry_at = moment + CONNECT_TIMEOUT_SECONDS + RETRY_SECONDS

    def note_down(self, error: Exception) -> None:
        with self._lock:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            if self._down_since is None:
                self._down_since = time.monotonic()
                log.error("The database cannot be reached: %s", str(error).partition("\n")[0])

    def note_up(self) -> None:
        with self._lock:
            if self._down_since is not None:
                log.info("The database answers again after %.0f s.", time.monotonic() - self._down_since)
                self._down_since = None


class Connections:
    """A pool of at most `max_connections`. It lends each to one caller at a time, the last used one first."""

    def __init__(self, server: Server, max_connections: int, setting: LiteralString | None = None) -> None:
        self._server = server
        self._setting = setting
        self._free = threading.BoundedSemaphore(max_connections)
        self._idle: list[Driver] = []

    @contextmanager
    def lend(self) -> Iterator[Driver]:
        if not self._free.acquire(timeout=CONNECTION_WAIT_SECONDS):
            raise DatabaseBusy()
        try:
            driver = self._take()
            try:
                yield driver
            finally:
                self._put_back(driver)
        finally:
            self._free.release()

    def _take(self) -> Driver:
        try:
            return self._idle.pop()
        except IndexError:
            driver = self._server.connect()
        if self._setting:
            driver.execute(self._setting)
        return driver

    def _put_back(self, driver: Driver) -> None:
        if driver.info.transaction_status == psycopg.pq.TransactionStatus.IDLE:
            self._idle.append(driver)
            return
        driver.close()  # broken, or in an unknown state
        self.close()  # the cause, such as a restart of the server, usually affects all of them

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()


def configure(driver: Driver) -> None:
    """Let JSON arrive as text, as from SQLite; rows.py decodes both."""
    driver.adapters.register_loader("jsonb", TextLoader)
    driver.adapters.register_loader("json", TextLoader)
