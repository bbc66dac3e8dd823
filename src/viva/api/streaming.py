"""A session's messages as they come: server-sent events whose id is the sequence."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec
from litestar import Request, Router
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from viva.agents.model import Agent
from viva.api.hub import hub_of
from viva.api.reading import header, read_words
from viva.api.routing import address, admitted
from viva.api.sessions import READING, BadSince, Since, read_since
from viva.api.shape import EventStream, Shape
from viva.exams import viewing
from viva.kit.db import Connection, Database
from viva.kit.errors import TooMany
from viva.sessions import store

PAGE = 200
MOST_STREAMS = 500  # of one address in one process: each holds a connection, and connections are not endless
HEARTBEAT = 15  # seconds; shorter than the patience of common proxies


class TooManyStreams(TooMany):
    """Too many streams are open from this address; close one, or read the messages without a stream."""


class News(NamedTuple):
    """What came after a sequence, as events ready to be sent."""

    events: bytes
    last: int
    has_ended: bool


class Feed:
    """Reads news once for all readers of this process who wait at the same place."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.is_closing = False
        self._open: Counter[str] = Counter()
        self._reading: dict[tuple[str, int, int], asyncio.Task[News]] = {}

    def close(self) -> None:
        """Let every stream end; who follows one comes back with `Last-Event-ID`."""
        self.is_closing = True
        self.database.wakes.wake_all()

    def check_room(self, address: str) -> None:
        if self._open[address] >= MOST_STREAMS:
            raise TooManyStreams(retry_after=HEARTBEAT)

    @contextmanager
    def counted(self, address: str) -> Iterator[None]:
        self._open[address] += 1
        try:
            yield
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    async def after(self, session_id: str, sequence: int) -> News:
        # Readings are shared only among those whom the same wake-up woke: an older one may have begun too early.
        place = (session_id, sequence, self.database.wakes.count)
        reading = self._reading.get(place)
        if reading is None:
            reading = asyncio.create_task(self.database.read(lambda db: news(db, session_id, sequence)))
            self._reading[place] = reading
            reading.add_done_callback(lambda _: self._reading.pop(place))
        return await asyncio.shield(reading)


def news(db: Connection, session_id: str, sequence: int) -> News:
    messages = store.transcript(db, session_id, sequence, PAGE)
    status, count = store.state(db, session_id)
    last = messages[-1].sequence if messages else sequence
    events = b"".join(b"id: %d\nevent: message\ndata: %s\n\n" % (m.sequence, msgspec.json.encode(m)) for m in messages)
    return News(events, last, status == "ended" and last >= count)


async def events(feed: Feed, address: str, session_id: str, sequence: int) -> AsyncIterator[bytes]:
    """Events from `sequence` on until the session ends."""
    with feed.counted(address), feed.database.wakes.waiting(session_id) as woken:
        yield b": listening\n\n"
        while not feed.is_closing:
            woken.clear()
            came = await feed.after(session_id, sequence)
            sequence = came.last
            if came.events:
                yield came.events
            if came.has_ended:
                yield b"event: end\ndata: {}\n\n"
                return
            if not came.events:
                try:
                    await asyncio.wait_for(woken.wait(), HEARTBEAT)
                except TimeoutError:
                    yield b": still here\n\n"


def stream_messages(
    db: Connection, viewer: Agent | None, evaluation_id: str, session_id: str, since: Since = "0"
) -> EventStream:
    """Messages as they come, as server-sent events; go on with `Last-Event-ID`."""
    session = viewing.session_for(db, evaluation_id, session_id, viewer)
    start = read_since(since)
    return EventStream(session.id, start if isinstance(start, int) else store.sequence_at(db, session.id, start))


SHAPE = Shape.of(stream_messages, 200, (*READING, BadSince, TooManyStreams), media_type="text/event-stream")


async def stream(request: Request) -> Stream:
    hub = hub_of(request)
    feed: Feed = request.app.state.feed
    key = await admitted(request, hub, needs_key=False)
    if hub.rate_limits:
        feed.check_room(address(request))
    words = read_words(request, SHAPE)
    words["since"] = header(request, b"last-event-id") or words["since"]
    begun = await hub.database.read(lambda db: stream_messages(**words, **SHAPE.given(db, key, hub)))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(events(feed, address(request), *begun), media_type="text/event-stream", headers=headers)


stream.shape = SHAPE  # type: ignore[attr-defined]
router = Router(
    "/evaluations/{evaluation_id:str}/sessions/{session_id:str}/messages",
    route_handlers=[HTTPRouteHandler("/stream", http_method="GET")(stream)],
)
