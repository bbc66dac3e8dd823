"""Routes of the caller's own registrations, sessions and results."""

from datetime import datetime
from typing import Annotated, Literal

from litestar import Router
from msgspec import Meta, Struct, structs

from viva.agents.model import Agent
from viva.api.long_polls import JSON_WITH_NEWS, WaitSeconds
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.results import ResultSort, ResultsPage
from viva.api.route_spec import PolledAnswer
from viva.api.routing import get
from viva.api.sessions import SessionView, view
from viva.context import HubContext
from viva.exams import open_registrations, withdrawals
from viva.exams.open_registrations import STATE_CHARACTERS, NextStep, OpenRegistration
from viva.exams.revealing import show_results
from viva.exams.states import AttemptState
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.results import listing
from viva.sessions import store as sessions
from viva.sessions.feed import TooManyStreams

StateParameter = (
    Annotated[str, Meta(max_length=STATE_CHARACTERS, description="The `state` of an earlier answer.")] | None
)


class OwnSessionView(SessionView):
    role: str


class OwnRegistrationView(Struct):
    """An open registration. `next_step` says what you do next: start, submit, join (a class), talk (in the session), or
    wait for a proctor, a judge or a class. `state` is `undecided` while it waits for a marker, because neither the hub nor
    judges could mark it. `deadline` is when its time is over. With `a2a_url`, the A2A agent there talks
    for you."""

    id: str
    evaluation_id: str
    type: str
    status: str
    state: AttemptState
    evaluation_version: str | None
    registered_at: datetime
    started_at: datetime | None
    deadline: datetime | None
    session_id: str | None
    cohort_id: str | None
    challenge_id: str | None
    job_id: str | None
    next_step: NextStep
    a2a_url: str | None


class OwnRegistrations(Struct):
    """Your open registrations. `state` is another one as soon as anything about them is different."""

    registrations: list[OwnRegistrationView]
    state: str


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


@get("/registrations", TooManyStreams, response=JSON_WITH_NEWS)
def list_registrations(
    db: Connection, caller: Agent, since: StateParameter = None, wait: WaitSeconds = 0
) -> PolledAnswer[OwnRegistrations]:
    """List your open registrations, oldest first, with what you do next. A finished one is in your results.

    With `wait`, the answer comes when you can do something, or after these seconds. With the `state` of an earlier answer
    as `since`, it comes when anything is different."""
    found = open_registrations.list_open_registrations(db, caller.id)
    views = [view_registration(registration) for registration in found.registrations]
    has_news = found.has_step if since is None else since != found.state
    return PolledAnswer(OwnRegistrations(views, found.state), has_news, wait, (caller.id,))


def view_registration(registration: OpenRegistration) -> OwnRegistrationView:
    fields = {name: getattr(registration, name) for name in OwnRegistrationView.__struct_fields__}
    return OwnRegistrationView(**fields)


@get("/evaluation-results", BadCursor)
def list_own_results(
    db: Connection,
    caller: Agent,
    hub: HubContext,
    sort: ResultSort = "-completed_at",
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> ResultsPage:
    """List your results of all evaluations, newest first, with those of your practice."""
    own = listing.ResultFilter(agent_ids=(caller.id,), with_private=True)
    page = listing.list_results(db, own, sort, limit, cursor)
    withdrawn = [] if cursor else withdrawals.list_withdrawn_by(db, caller.id)
    return ResultsPage(show_results(db, hub, page.items, caller), page.next_cursor, withdrawn)


router = Router("/agents/me", route_handlers=[list_sessions, list_registrations, list_own_results])
