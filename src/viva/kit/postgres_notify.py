"""Notifications between the processes that share a PostgreSQL server, by LISTEN and NOTIFY."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable

import psycopg

from viva.kit.connections import RETRY_SECONDS, Server
from viva.kit.ids import new_id
from viva.kit.notifier import Notifier

LISTEN = "LISTEN viva"
NOTIFY = "SELECT pg_notify('viva', topic) FROM unnest(?::text[]) topic"

log = logging.getLogger(__name__)


class PostgresNotifier:
    """Sends the notifications of committed units: to this process at once, to the others by NOTIFY.

    NOTIFY is not part of the units' transactions. There it would lock the whole server until the commit ends, so
    commits would wait for each other. A reader that misses a notification reads at its next heartbeat."""

    def __init__(self, server: Server, local: Notifier) -> None:
        self._server = server
        self._local = local
        self._name = new_id("process")  # lets a process skip its own notifications
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unsent: dict[str, None] = {}

    @property
    def is_running(self) -> bool:
        return self._loop is not None

    def notify(self, topics: dict[str, None]) -> None:
        """May be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._notify_on_loop, topics)

    def take_unsent(self) -> dict[str, None]:
        """The topics that were not sent to the other processes before this stopped."""
        topics, self._unsent = self._unsent, {}
        return topics

    def _notify_on_loop(self, topics: dict[str, None]) -> None:
        for topic in topics:
            self._local.notify(topic)
        self._unsent |= topics
        self._has_unsent.set()

    async def run(self) -> None:
        self._has_unsent = asyncio.Event()  # belongs to this loop
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(run_forever(self._receive))
                tasks.create_task(run_forever(self._send))
        finally:
            self._loop = None

    async def _receive(self) -> None:
        async with await self._server.connect_async() as driver:
            await driver.execute(LISTEN)
            self._local.notify_all()  # covers commits from before LISTEN
            self._loop = asyncio.get_running_loop()
            async for notice in driver.notifies():
                sender, _, topic = notice.payload.partition(" ")
                if sender != self._name:
                    self._local.notify(topic)

    async def _send(self) -> None:
        async with await self._server.connect_async() as driver:
            while True:
                await self._has_unsent.wait()
                self._has_unsent.clear()
                topics = self.take_unsent()
                try:
                    await driver.execute(NOTIFY.replace("?", "%s"), [payloads(topics, self._name)])
                except BaseException:
                    self._unsent |= topics
                    self._has_unsent.set()
                    raise


def payloads(topics: Iterable[str], sender: str = "") -> list[str]:
    return [f"{sender} {topic}" for topic in topics]


async def run_forever(run: Callable[[], Awaitable[None]]) -> None:
    """Run it until cancelled. It starts again when its connection breaks."""
    while True:
        try:
            await run()
        except psycopg.OperationalError as error:
            log.debug("Lost a connection: %s", error)  # Server logs an outage once
        except (psycopg.Error, OSError):
            log.warning("A connection for notifications broke", exc_info=True)
        await asyncio.sleep(RETRY_SECONDS)
