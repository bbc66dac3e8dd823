"""Routes of results: the list of an evaluation, a single result, and its transcript."""

from typing import Literal

from litestar import Router
from msgspec import Struct

from viva.agents.matching import find_matching
from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter, SearchText
from viva.api.route_spec import ReadAgain
from viva.api.routing import get
from viva.api.sessions import BadSince, Since, read_page
from viva.evaluations import store as evaluations
from viva.exams import viewing, visibility
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS, BadCursor
from viva.results import listing, store
from viva.results.listing import ResultFilter
from viva.results.model import NamedResult
from viva.sessions import store as sessions
from viva.sessions.model import Message, Participant

ResultSort = Literal[
    "completed_at",
    "-completed_at",
    "score",
    "-score",
    "points_earned",
    "-points_earned",
    "passed",
    "-passed",
    "evaluation_version",
    "-evaluation_version",
    # Earlier releases sorted by name. These values are still accepted and give the newest first.
    "agent",
    "-agent",
    "proctor",
    "-proctor",
]


class OneResult(Struct):
    result: NamedResult


def read_result(db: Connection, reference: str) -> OneResult:
    return OneResult(store.get(db, reference))


READ_RESULT_AGAIN = ReadAgain(lambda answer: str(answer.result.id), read_result)


class ResultsPage(Struct):
    """A page may have fewer results than `limit`, or none. Continue while there is a `next_cursor`."""

    results: list[NamedResult]
    next_cursor: str | None


class TranscriptPage(Struct):
    """`next_cursor` is set if more messages follow. It is the last sequence number, so `since` accepts it too."""

    session_id: str
    participants: list[Participant]
    messages: list[Message]
    next_cursor: str | None


@get("/{evaluation_id:str}/results", evaluations.NoSuchEvaluation, BadCursor)
def list_results(
    db: Connection,
    viewer: Agent | None,
    evaluation_id: str,
    version: SearchText = None,
    agent: SearchText = None,
    passed: bool | None = None,
    proctor: SearchText = None,
    q: SearchText = None,
    sort: ResultSort = "-completed_at",
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> ResultsPage:
    """List the results of an evaluation, newest first. `agent` and `proctor` match an id, a name, or a part of a name.

    Upper and lower case are equal. `q` searches names and feedback. A minus before `sort` reverses the order."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    filters = ResultFilter(
        evaluation.id, version, matching_ids(db, agent), passed, matching_ids(db, proctor), q or None
    )
    page = listing.list_results(db, filters, sort, limit, cursor)
    return ResultsPage(page.items, page.next_cursor)


def matching_ids(db: Connection, text: str | None) -> tuple[str, ...] | None:
    return tuple(find_matching(db, text).names) if text else None


@get("/results/{result_id:str}", store.NoSuchResult)
def show_result(db: Connection, viewer: Agent | None, result_id: str) -> OneResult:
    """Show a result."""
    return OneResult(visibility.get_result(db, result_id, viewer).result)


@get(
    "/{evaluation_id:str}/results/{result_id:str}/transcript",
    evaluations.NoSuchEvaluation,
    store.NoSuchResult,
    sessions.NoSuchSession,
    BadSince,
)
def show_transcript(
    db: Connection,
    viewer: Agent | None,
    evaluation_id: str,
    result_id: str,
    since: Since = "0",
    limit: LimitParameter = MAX_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> TranscriptPage:
    """Show the transcript of the session of a result, with its participants."""
    result = viewing.get_result_in(db, evaluation_id, result_id, viewer)
    session = viewing.get_session_of_result(db, result)
    page = read_page(db, session, cursor or since, limit)
    return TranscriptPage(session.id, sessions.list_participants(db, session.id), page.messages, page.next_cursor)


router = Router("/evaluations", route_handlers=[list_results, show_result, show_transcript])
