"""Following a session: what is said in it as server-sent events, read once for all who wait at the same place."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

from viva.kit.db import Connection, Database
from viva.kit.errors import Forbidden, TooMany, Unauthorized
from viva.kit.limits import OpenCounter
from viva.sessions import store
from viva.sessions.model import Message

STREAM_BATCH_MESSAGES = 200
STREAM_BATCH_CHARACTERS = (
    200_000  # told at once: as HTML they take seconds where they were written to, and nobody can stop them
)
MAX_STREAMS_PER_ADDRESS = 500  # of one address in one process: each holds a connection, and connections are not endless
SSE_HEARTBEAT_SECONDS = 15  # seconds; shorter than the patience of common proxies
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

# Messages of a session as events; a function of a module, since whoever is told in the same words shares a reading.
Write = Callable[[Database, str, list[Message]], Awaitable[bytes]]


class TooManyStreams(TooMany):
    """Too many streams are open from this address; close one, or read the messages without a stream."""


class StreamStart(NamedTuple):
    """Where a stream of a session's messages begins."""

    session_id: str
    sequence: int


class News(NamedTuple):
    """What came after a sequence, as events ready to be sent."""

    events: bytes
    last: int
    has_ended: bool


class Feed:
    """Reads news once for all readers of this process who wait at the same place."""

    def __init__(self, database: Database, heartbeat: float = SSE_HEARTBEAT_SECONDS) -> None:
        self.database = database
        self.heartbeat = heartbeat
        self.is_closing = False
        self.open = OpenCounter()
        self._reading: dict[tuple[str, int, Write, int], asyncio.Task[News]] = {}

    def close(self) -> None:
        """Let every stream end; who follows one comes back with `Last-Event-ID`."""
        self.is_closing = True
        self.database.notifier.notify_all()

    def check_room(self, address: str) -> None:
        if self.open.count(address) >= MAX_STREAMS_PER_ADDRESS:
            raise TooManyStreams(retry_after=SSE_HEARTBEAT_SECONDS)

    async def after(self, session_id: str, sequence: int, write: Write) -> News:
        # Readings are shared only among those whom the same wake-up woke: an older one may have begun too early.
        place = (session_id, sequence, write, self.database.notifier.count)
        reading = self._reading.get(place)
        if reading is None:
            reading = asyncio.create_task(news(self.database, session_id, sequence, write))
            self._reading[place] = reading
            reading.add_done_callback(lambda _: self._reading.pop(place))
        return await asyncio.shield(reading)

    async def is_open_to(self, check: Callable[[Connection], object]) -> bool:
        """Whether `check` still lets its reader in: a key may be revoked while its stream is open."""
        try:
            await self.database.read(check)
        except (Unauthorized, Forbidden):
            return False
        return True


async def news(database: Database, session_id: str, sequence: int, write: Write) -> News:
    messages, state = await database.read(
        lambda db: (
            store.transcript(db, session_id, sequence, STREAM_BATCH_MESSAGES, STREAM_BATCH_CHARACTERS),
            store.state(db, session_id),
        )
    )
    last = messages[-1].sequence if messages else sequence
    events = await write(database, session_id, messages) if messages else b""
    return News(events, last, state.status == "ended" and last >= state.message_count)


def event(message: Message, data: bytes) -> bytes:
    return b"id: %d\nevent: message\ndata: %s\n\n" % (message.sequence, data)


async def events(
    feed: Feed, address: str, place: StreamStart, write: Write, check: Callable[[Connection], object]
) -> AsyncIterator[bytes]:
    """Events after the place until the session ends, or until `check` no longer lets the reader in."""
    session_id, sequence = place
    clock = asyncio.get_running_loop().time
    with feed.open.track(address), feed.database.notifier.subscribe(session_id) as woken:
        yield b": listening\n\n"
        checked = clock()
        while not feed.is_closing:
            if clock() - checked >= feed.heartbeat:
                if not await feed.is_open_to(check):
                    return
                checked = clock()
                yield b": still here\n\n"
            woken.clear()
            came = await feed.after(session_id, sequence, write)
            sequence = came.last
            if came.events:
                yield came.events
            if came.has_ended:
                yield b"event: end\ndata: {}\n\n"
                return
            if not came.events:
                await woken_within(woken, feed.heartbeat)


async def woken_within(woken: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(woken.wait(), seconds)
