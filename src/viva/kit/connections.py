"""Connections to a PostgreSQL server, lent one at a time; while the server cannot be reached, asking for one fails at once."""

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
BUSY_SECONDS = 5  # to wait for a connection that others have; who waits longer is better told to come back

# A row that another transaction has locked is waited for briefly: its holder may be a process that hangs.
LOCK_TIMEOUT_SECONDS = 2
STATEMENT_TIMEOUT_SECONDS = 30
IDLE_IN_TRANSACTION_SECONDS = 60  # a unit takes milliseconds; one that stops in the middle must give back its locks
OPTIONS = " ".join(
    f"-c {setting}"
    for setting in (
        "timezone=UTC",
        f"lock_timeout={LOCK_TIMEOUT_SECONDS}s",
        f"statement_timeout={STATEMENT_TIMEOUT_SECONDS}s",
        f"idle_in_transaction_session_timeout={IDLE_IN_TRANSACTION_SECONDS}s",
    )
)
# A server that vanished without a word is noticed within seconds, not after the quarter of an hour that TCP takes.
NETWORK: dict[str, Any] = {
    "connect_timeout": CONNECT_TIMEOUT_SECONDS,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 30,
}

Driver = psycopg.Connection[Any]
log = logging.getLogger(__name__)


class Server:
    """Makes connections, and remembers whether the server could be reached."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._lock = threading.Lock()
        self._down_since: float | None = None
        self._retry_at = 0.0

    def connect(self) -> Driver:
        self._check_retry()
        try:
            driver = psycopg.connect(self.url, autocommit=True, options=OPTIONS, **NETWORK)
        except psycopg.OperationalError as error:
            self.note_down(error)
            raise DatabaseDown() from error
        self.note_up()
        configure(driver)
        return driver

    async def connect_async(self) -> "psycopg.AsyncConnection[Any]":
        try:
            driver = await psycopg.AsyncConnection.connect(self.url, autocommit=True, options=OPTIONS, **NETWORK)
        except psycopg.OperationalError as error:
            self.note_down(error)
            raise
        self.note_up()
        return driver

    def _check_retry(self) -> None:
        """During an outage one caller tries, and the others need not wait for it."""
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
    """At most `most` connections, lent to one caller at a time; the one used last is lent first."""

    def __init__(self, server: Server, most: int, setting: LiteralString | None = None) -> None:
        self._server = server
        self._setting = setting
        self._room = threading.BoundedSemaphore(most)
        self._idle: list[Driver] = []

    @contextmanager
    def lend(self) -> Iterator[Driver]:
        if not self._room.acquire(timeout=BUSY_SECONDS):
            raise DatabaseBusy()
        try:
            driver = self._take()
            try:
                yield driver
            finally:
                self._put_back(driver)
        finally:
            self._room.release()

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
        driver.close()  # broken, or in a state that nobody knows
        self.close()  # what happened to one, such as a restart of the server, has mostly happened to all

    def close(self) -> None:
        """Close those that nobody uses."""
        while self._idle:
            self._idle.pop().close()


def configure(driver: Driver) -> None:
    """JSON as text, as SQLite gives it; rows.py decodes both."""
    driver.adapters.register_loader("jsonb", TextLoader)
