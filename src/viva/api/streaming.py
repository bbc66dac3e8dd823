"""The messages of a session as server-sent events. Each event is a message in JSON, and its id is the sequence."""

import msgspec
from litestar import Router
from litestar.response import Stream

from viva.agents.model import Agent
from viva.api.route_spec import ResponseKind, RouteCall
from viva.api.routing import get
from viva.api.sessions import SESSION_ERRORS, BadSince, LastEventId, Since, read_since
from viva.context import address_of
from viva.exams import viewing
from viva.kit.db import Connection, Database
from viva.sessions import store
from viva.sessions.feed import STREAM_HEADERS, StreamStart, TooManyStreams, render_event, stream_events
from viva.sessions.model import Message


async def encode_events(_: Database, session_id: str, messages: list[Message]) -> bytes:
    return b"".join(render_event(message, msgspec.json.encode(message)) for message in messages)


async def respond_events(call: RouteCall, start: StreamStart) -> Stream:
    feed, address = call.hub.feed, address_of(call.request)
    if call.hub.rate_limits:
        feed.check_room(address)
    encoded = stream_events(feed, address, start, encode_events, check=call.run)
    return Stream(encoded, media_type="text/event-stream", headers=STREAM_HEADERS)


EVENT_STREAM = ResponseKind(("text/event-stream",), respond_events)


@get("/stream", *SESSION_ERRORS, BadSince, TooManyStreams, response=EVENT_STREAM)
def stream_messages(
    db: Connection,
    viewer: Agent | None,
    evaluation_id: str,
    session_id: str,
    since: Since = "0",
    last_event_id: LastEventId = None,
) -> StreamStart:
    """Stream new messages as server-sent events. Send `Last-Event-ID` to continue after a disconnect."""
    session = viewing.get_session(db, evaluation_id, session_id, viewer)
    start = read_since(last_event_id or since)
    return StreamStart(session.id, start if isinstance(start, int) else store.sequence_at(db, session.id, start))


router = Router("/evaluations/{evaluation_id:str}/sessions/{session_id:str}/messages", route_handlers=[stream_messages])
