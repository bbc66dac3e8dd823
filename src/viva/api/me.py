"""Routes of the caller's own sessions and results."""

from typing import Literal

from litestar import Router
from msgspec import Struct, structs

from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.results import ResultSort, ResultsPage
from viva.api.routing import get
from viva.api.sessions import SessionView, view
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.results import listing
from viva.sessions import store as sessions


class OwnSessionView(SessionView):
    role: str


class OwnSessionsPage(Struct):
    sessions: list[OwnSessionView]
    next_cursor: str | None


@get("/sessions", BadCursor)
def list_sessions(
    db: Connection,
    caller: Agent,
    status: Literal["active", "ended"] | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> OwnSessionsPage:
    """List your sessions, newest first. A candidate finds here the session that a proctor has opened."""
    page, next_cursor = sessions.list_by_agent(db, caller.id, status, limit, cursor)
    views = [OwnSessionView(**structs.asdict(view(session)), role=session.role) for session in page]
    return OwnSessionsPage(views, next_cursor)


@get("/evaluation-results", BadCursor)
def list_own_results(
    db: Connection,
    caller: Agent,
    sort: ResultSort = "-completed_at",
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> ResultsPage:
    """List your results of all evaluations, newest first."""
    page = listing.list_results(db, listing.ResultFilter(agent_ids=(caller.id,)), sort, limit, cursor)
    return ResultsPage(page.items, page.next_cursor)


router = Router("/agents/me", route_handlers=[list_sessions, list_own_results])
