"""Stream the messages of a session as HTML for its page."""

from typing import Any

import msgspec
from litestar import Request, get
from litestar.response import Stream

from viva.agents import store as agents
from viva.context import address_of, hub_of
from viva.exams import viewing
from viva.kit.db import Connection, Database
from viva.sessions.feed import STREAM_HEADERS, StreamStart, render_event, stream_events
from viva.sessions.model import Message
from viva.web import logins, pages
from viva.web.conversations import ShownMessage
from viva.web.queries import count, number
from viva.web.sessions import here
from viva.web.wording import address


@get("/sessions/{session_id:str}/stream")
async def stream_session(request: Request, session_id: str) -> Stream:
    """The stream is read-only, so the cookie is enough. Browsers resume it with `Last-Event-ID`."""
    hub = hub_of(request)
    caller = address_of(request)
    login_hash = await pages.admit(request, hub)
    if hub.rate_limits:
        hub.feed.check_room(caller)

    def check(db: Connection) -> str:
        return viewing.get_session_by_id(db, session_id, logins.viewer(db, login_hash, request)).id

    place = StreamStart(await hub.database.read(check), last_seen_sequence(request))
    return Stream(
        stream_events(hub.feed, caller, place, render_messages, check),
        media_type="text/event-stream",
        headers=STREAM_HEADERS,
    )


def last_seen_sequence(request: Request) -> int:
    return number(request.headers.get("last-event-id", "")) or count(request, "after")


async def render_messages(database: Database, session_id: str, messages: list[Message]) -> bytes:
    senders = list({message.sender_agent_id for message in messages})
    names = await database.read(lambda db: agents.names(db, senders))
    shown = [ShownMessage(message, names.get(message.sender_agent_id, "")) for message in messages]
    return await pages.in_page_thread(lambda: render_events(session_id, shown))


def render_events(session_id: str, messages: list[ShownMessage]) -> bytes:
    part: Any = pages.TEMPLATES.get_template("_messages.html").module
    stream = b""
    for shown in messages:
        html = part.message(shown, address(here(session_id), before=shown.message.sequence + 1), False)
        stream += render_event(shown.message, msgspec.json.encode(str(html)))  # JSON keeps the line breaks
    return stream
