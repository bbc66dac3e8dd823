"""Streaming a session's messages as server-sent events. Readers at the same sequence share one database read."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NamedTuple, TypeVar

from viva.kit.db import Connection, Database
from viva.kit.errors import Forbidden, TooMany, Unauthorized
from viva.kit.limits import OpenCounter
from viva.kit.notifier import wait_until_set
from viva.sessions import store
from viva.sessions.model import Message

STREAM_BATCH_MESSAGES = 200
STREAM_BATCH_CHARACTERS = 200_000  # rendering more as HTML can take seconds, and cannot be stopped
MAX_STREAMS_PER_ADDRESS = 500  # in one process; each stream holds a connection
SSE_HEARTBEAT_SECONDS = 15  # shorter than the idle timeout of common proxies
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

Read = TypeVar("Read")
# Renders messages of a session as events. Readers with the same writer share a read, so it is a module-level function.
EventWriter = Callable[[Database, str, list[Message]], Awaitable[bytes]]


class TooManyStreams(TooMany):
    """Too many streams are open from this address. Close one, or read the messages without a stream."""


class StreamStart(NamedTuple):
    """Where a stream of a session's messages begins."""

    session_id: str
    sequence: int


class News(NamedTuple):
    """The messages after a sequence, as events ready to send."""

    events: bytes
    last: int
    has_ended: bool


class Feed:
    """Reads new messages once for all readers of this process that wait at the same sequence."""

    def __init__(self, database: Database, heartbeat_seconds: float = SSE_HEARTBEAT_SECONDS) -> None:
        self.database = database
        self.heartbeat_seconds = heartbeat_seconds
        self.is_closing = False
        self.open = OpenCounter()
        self._reads: dict[tuple[str, int, EventWriter, int], asyncio.Task[News]] = {}

    def close(self) -> None:
        """End every stream. Its reader reconnects with `Last-Event-ID`."""
        self.is_closing = True
        self.database.notifier.notify_all()

    def check_room(self, address: str) -> None:
        if self.open.count(address) >= MAX_STREAMS_PER_ADDRESS:
            raise TooManyStreams(retry_after=SSE_HEARTBEAT_SECONDS)

    async def read_after(self, session_id: str, sequence: int, write: EventWriter) -> News:
        # Only readers of the same notification share a read: an earlier read may miss the new message.
        key = (session_id, sequence, write, self.database.notifier.count)
        read = self._reads.get(key)
        if read is None:
            read = asyncio.create_task(read_news(self.database, session_id, sequence, write))
            self._reads[key] = read
            read.add_done_callback(lambda _: self._reads.pop(key))
        return await asyncio.shield(read)

    async def is_open_to(self, check: Callable[[Connection], object]) -> bool:
        """Whether `check` still admits the reader: a key may be revoked while its stream is open."""
        try:
            await self.database.read(check)
        except (Unauthorized, Forbidden):
            return False
        return True


async def read_news(database: Database, session_id: str, sequence: int, write: EventWriter) -> News:
    messages, state = await database.read(
        lambda db: (
            store.transcript(db, session_id, sequence, STREAM_BATCH_MESSAGES, STREAM_BATCH_CHARACTERS),
            store.read_state(db, session_id),
        )
    )
    last = messages[-1].sequence if messages else sequence
    events = await write(database, session_id, messages) if messages else b""
    return News(events, last, state.status == "ended" and last >= state.message_count)


def render_event(message: Message, data: bytes) -> bytes:
    return b"id: %d\nevent: message\ndata: %s\n\n" % (message.sequence, data)


async def stream_events(
    feed: Feed, address: str, start: StreamStart, write: EventWriter, check: Callable[[Connection], object]
) -> AsyncIterator[bytes]:
    """Events after the start until the session ends, or until `check` no longer admits the reader."""
    session_id, sequence = start
    clock = asyncio.get_running_loop().time
    with feed.open.track(address), feed.database.notifier.subscribe(session_id) as notice:
        yield b": listening\n\n"
        checked_at = clock()
        while not feed.is_closing:
            if clock() - checked_at >= feed.heartbeat_seconds:
                if not await feed.is_open_to(check):
                    return
                checked_at = clock()
                yield b": still here\n\n"
            notice.clear()
            news = await feed.read_after(session_id, sequence, write)
            sequence = news.last
            if news.events:
                yield news.events
            if news.has_ended:
                yield b"event: end\ndata: {}\n\n"
                return
            if not news.events:
                await wait_until_set(notice, feed.heartbeat_seconds)


async def read_until_new(
    feed: Feed,
    address: str,
    topics: tuple[str, ...],
    seconds: float,
    read: Callable[[Connection], Read],
    has_news: Callable[[Read], bool],
) -> Read:
    """Read again after each notification until there is something new, or the time is over. It counts as a stream."""
    clock = asyncio.get_running_loop().time
    until = clock() + seconds
    with feed.open.track(address), feed.database.notifier.subscribe(*topics) as notice:
        while True:
            notice.clear()
            found = await feed.database.read(read)  # again after the subscription, and with the caller checked again
            left = until - clock()
            if has_news(found) or left <= 0 or feed.is_closing:
                return found
            await wait_until_set(notice, left)
