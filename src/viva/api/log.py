"""The route of the event log, for maintainers."""

from litestar import Router
from msgspec import Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import get
from viva.kit.db import Connection
from viva.kit.events import Event, list_events
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor


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


router = Router("/log", route_handlers=[show_log])
