"""A session's messages as they come: server-sent events whose id is the sequence, each a message in JSON."""

import msgspec
from litestar import Request, Router
from litestar.handlers import HTTPRouteHandler
from litestar.response import Stream

from viva.agents.model import Agent
from viva.api.hub import hub_of
from viva.api.reading import header, read_words
from viva.api.routing import address, admitted, name_caller
from viva.api.sessions import READING, BadSince, Since, read_since
from viva.api.shape import EventStream, Shape
from viva.exams import viewing
from viva.kit.db import Connection, Database
from viva.sessions import store
from viva.sessions.feed import HEADERS, Feed, Place, TooManyStreams, event, events
from viva.sessions.model import Message


def stream_messages(
    db: Connection, viewer: Agent | None, evaluation_id: str, session_id: str, since: Since = "0"
) -> EventStream:
    """Messages as they come, as server-sent events; go on with `Last-Event-ID`."""
    session = viewing.session_for(db, evaluation_id, session_id, viewer)
    start = read_since(since)
    return EventStream(session.id, start if isinstance(start, int) else store.sequence_at(db, session.id, start))


SHAPE = Shape.of(stream_messages, 200, (*READING, BadSince, TooManyStreams), media_types=("text/event-stream",))


async def as_json(_: Database, session_id: str, messages: list[Message]) -> bytes:
    return b"".join(event(message, msgspec.json.encode(message)) for message in messages)


async def stream(request: Request) -> Stream:
    hub = hub_of(request)
    feed: Feed = request.app.state.feed
    key = await admitted(request, hub, needs_key=False)
    if hub.rate_limits:
        feed.check_room(address(request))
    words = read_words(request, SHAPE)
    words["since"] = header(request, b"last-event-id") or words["since"]

    def begin(db: Connection) -> EventStream:
        return stream_messages(**words, **name_caller(request, SHAPE.given(db, key, hub)))

    place = Place(*await hub.database.read(begin))
    told = events(feed, address(request), place, as_json, check=begin)
    return Stream(told, media_type="text/event-stream", headers=HEADERS)


stream.shape = SHAPE  # type: ignore[attr-defined]
router = Router(
    "/evaluations/{evaluation_id:str}/sessions/{session_id:str}/messages",
    route_handlers=[HTTPRouteHandler("/stream", http_method="GET")(stream)],
)
