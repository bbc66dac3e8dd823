"""The PostgreSQL database: units run in threads, each with a connection from a pool."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from viva.kit.batching import ItemBatches
from viva.kit.connections import CONNECTION_WAIT_SECONDS, Connections, Server
from viva.kit.db import Database, DatabaseBusy, DatabaseDown, Item, T, UnitOfWork, WorkOnAll
from viva.kit.lanes import Lanes, write_batch
from viva.kit.notifier import Notifier
from viva.kit.postgres_connection import ConnectionLost, PostgresConnection, to_our_error
from viva.kit.postgres_notify import NOTIFY, PostgresNotifier, payloads
from viva.kit.units import BrokenUnit, run_in_threads

# Reads have their own connections, so that writers that wait for one row do not block readers. There are more writers,
# since the writers that wait for the disk share one flush. With four other connections a process has 23, and four
# processes have 92 of the 100 that PostgreSQL allows by default.
MAX_WRITE_CONNECTIONS = 11
MAX_READ_CONNECTIONS = 8
MAX_UNIT_TRIES = 5  # of a unit that PostgreSQL rolled back because of another one

SHORT_LOCK_TIMEOUT = "SET lock_timeout = '100ms'"
BEGIN_WRITE = b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
BEGIN_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"  # all statements of the unit see one snapshot

log = logging.getLogger(__name__)


class PostgresDatabase(Database):
    def __init__(self, url: str) -> None:
        self.notifier = Notifier()
        self.url = url
        self._server = Server(url)
        self._writers = Connections(self._server, MAX_WRITE_CONNECTIONS)
        self._readers = Connections(self._server, MAX_READ_CONNECTIONS)
        self._aside = Connections(self._server, 1)
        # All posts of the process share a statement, so they wait only briefly for a locked row.
        self._together = Connections(self._server, 1, SHORT_LOCK_TIMEOUT)
        self._write_threads = ThreadPoolExecutor(MAX_WRITE_CONNECTIONS, "viva-write")
        self._read_threads = ThreadPoolExecutor(MAX_READ_CONNECTIONS, "viva-read")
        self._aside_thread = ThreadPoolExecutor(1, "viva-aside")
        self._together_thread = ThreadPoolExecutor(1, "viva-together")
        self._batches = ItemBatches(self._write_items, self._write_alone)
        self._lanes = Lanes(
            lambda batch: run_in_thread(self._write_threads, lambda units: write_batch(self.write_now, units), batch)
        )
        self._postgres_notifier = PostgresNotifier(self._server, self.notifier)

    async def write(self, work: UnitOfWork[T], lane: str | None = None) -> T:
        if lane is None:
            return await run_in_thread(self._write_threads, self.write_now, work)
        return await self._lanes.write(work, lane)

    async def write_together(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        if lane in self._lanes:  # its rows were locked a moment ago
            return await self._write_alone(work, item, lane)
        answer: T | None = await self._batches.add(work, item, lane)
        return answer

    async def _write_items(self, work: WorkOnAll[Item, T], items: list[Item]) -> list[T | None]:
        run = lambda items: self._run(self._together, lambda db: work(db, items), BEGIN_WRITE)  # noqa: E731
        return await run_in_thread(self._together_thread, run, items)

    async def _write_alone(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        return (await self.write(lambda db: work(db, [item]), lane))[0]

    async def read(self, work: UnitOfWork[T]) -> T:
        return await run_in_thread(self._read_threads, self.read_now, work)

    async def write_aside(self, work: UnitOfWork[T]) -> T:
        return await run_in_thread(self._aside_thread, lambda work: self._run(self._aside, work, BEGIN_WRITE), work)

    def write_now(self, work: UnitOfWork[T]) -> T:
        return self._run(self._writers, work, BEGIN_WRITE)

    def read_now(self, work: UnitOfWork[T]) -> T:
        return self._run(self._readers, work, BEGIN_READ)

    def _run(self, connections: Connections, work: UnitOfWork[T], begin: bytes) -> T:
        was_lost = False
        for _ in range(MAX_UNIT_TRIES):
            try:
                with connections.lend() as driver:
                    return self._run_once(PostgresConnection(driver, begin, self.secret), work)
            except (errors.DeadlockDetected, errors.SerializationFailure) as error:
                log.info("Running a unit again: %s", error)
            except ConnectionLost as error:
                if was_lost:
                    raise DatabaseDown() from error
                was_lost = True  # the server may have restarted since the last use of the connection
            except psycopg.Error as error:
                raise to_our_error(error) from error
        raise DatabaseBusy()

    def _run_once(self, connection: PostgresConnection, work: UnitOfWork[T]) -> T:
        driver = connection.driver
        try:
            answer = work(connection)
            notifies_later = self._postgres_notifier.is_running
            if connection.topics and not notifies_later:
                connection.send_notifications()
            if driver.info.transaction_status == TransactionStatus.INERROR:
                raise BrokenUnit("A unit went on after a statement had failed; nothing of it is written.")
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            if connection.is_lost_after(error):
                driver.close()
                # A statement that commits by itself may be committed although its answer was lost.
                raise (DatabaseDown if connection.is_whole else ConnectionLost)() from error
            connection.roll_back()
            raise
        except BaseException:
            connection.roll_back()
            raise
        driver.commit()
        if connection.topics and notifies_later:
            self._postgres_notifier.notify(connection.topics)
        return answer

    async def listen(self) -> None:
        await self._postgres_notifier.run()

    async def settle(self) -> None:
        """Wait for batches and lanes. Other writes run in threads, and `close` waits for those."""
        await self._batches.settle()
        await self._lanes.settle()
        unsent = self._postgres_notifier.take_unsent()
        if unsent:
            with suppress(DatabaseDown):
                await self.write(lambda db: db.execute(NOTIFY, [payloads(unsent)]))

    def close(self) -> None:
        for threads in (self._write_threads, self._read_threads, self._aside_thread, self._together_thread):
            threads.shutdown()
        for connections in (self._writers, self._readers, self._aside, self._together):
            connections.close()


async def run_in_thread(threads: ThreadPoolExecutor, run: Callable[[Any], T], work: Any) -> T:
    """Run the work in one of the threads. After a long wait for a thread it raises DatabaseBusy instead."""
    requested_at = time.monotonic()

    def run_or_refuse() -> T:
        if time.monotonic() - requested_at > CONNECTION_WAIT_SECONDS:
            raise DatabaseBusy()
        return run(work)

    return await run_in_threads(threads, run_or_refuse)
