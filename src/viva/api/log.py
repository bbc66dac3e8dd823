"""Routes of the event log: the events for maintainers, and its head for everybody."""

from litestar import Router
from msgspec import Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import get
from viva.kit.db import Connection
from viva.kit.event_chain import SignedHead, sign_head
from viva.kit.events import Event, list_events
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.kit.signing_keys import NoSigningKey, get_current


class EventsPage(Struct):
    events: list[Event]
    next_cursor: str | None


@get("", MaintainersOnly, BadCursor)
def show_log(
    db: Connection, caller: Agent, limit: LimitParameter = DEFAULT_PAGE_ITEMS, cursor: CursorParameter = None
) -> EventsPage:
    """List the events of the hub, newest first. Only maintainers may."""
    require_maintainer(caller)
    return EventsPage(*list_events(db, limit, cursor))


@get("/head", NoSigningKey)
def show_log_head(db: Connection) -> SignedHead:
    """Show the head of the event log, signed. Who keeps it can show later that the log was not changed."""
    return sign_head(db, get_current(db))


router = Router("/log", route_handlers=[show_log, show_log_head])
