"""Wake-ups between the processes that share a PostgreSQL server, by LISTEN and NOTIFY."""

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
    """Passes wake-ups of committed units on: to this process at once, to the others by NOTIFY.

    NOTIFY is no part of the units' transactions. There it would take a lock of the whole server for as long as the
    commit takes, so that one commit would wait for the other. A wake-up that is lost costs its reader a heartbeat."""

    def __init__(self, server: Server, wakes: Notifier) -> None:
        self._server = server
        self._wakes = wakes
        self._name = new_id("process")  # so that a process need not heed what it said itself
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unsent: dict[str, None] = {}

    @property
    def is_running(self) -> bool:
        return self._loop is not None

    def notify(self, topics: dict[str, None]) -> None:
        """From any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._wake, topics)

    def take_unsent(self) -> dict[str, None]:
        """What the other processes have not been told, once this has ended."""
        topics, self._unsent = self._unsent, {}
        return topics

    def _wake(self, topics: dict[str, None]) -> None:
        for topic in topics:
            self._wakes.wake(topic)
        self._unsent |= topics
        self._has_unsent.set()

    async def run(self) -> None:
        self._has_unsent = asyncio.Event()  # of this loop
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(again_and_again(self._receive))
                tasks.create_task(again_and_again(self._send))
        finally:
            self._loop = None

    async def _receive(self) -> None:
        async with await self._server.connect_async() as driver:
            await driver.execute(LISTEN)
            self._wakes.wake_all()  # for what was committed while nobody listened
            self._loop = asyncio.get_running_loop()
            async for notice in driver.notifies():
                sender, _, topic = notice.payload.partition(" ")
                if sender != self._name:
                    self._wakes.wake(topic)

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


async def again_and_again(run: Callable[[], Awaitable[None]]) -> None:
    """Run it until cancelled, whatever becomes of its connection."""
    while True:
        try:
            await run()
        except psycopg.OperationalError as error:
            log.debug("Lost a connection: %s", error)  # the server tells of an outage, once
        except (psycopg.Error, OSError):
            log.warning("A connection for notifications broke off", exc_info=True)
        await asyncio.sleep(RETRY_SECONDS)
