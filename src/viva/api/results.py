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
from viva.context import HubContext
from viva.evaluations import store as evaluations
from viva.exams import appealing, viewing, visibility, withdrawals
from viva.exams.proving import Proof, find_proof
from viva.exams.revealing import ShownResult, disclose, show_result, show_results
from viva.exams.withdrawals import Withdrawal
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS, BadCursor
from viva.results import listing, reading_reports, store
from viva.results.appeals import Appeal
from viva.results.listing import ResultFilter
from viva.results.reading_reports import ReadingReport
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


OfficialFilter = Literal["any", "true", "false"]
OFFICIAL_VALUES: dict[str, bool | None] = {"any": None, "true": True, "false": False}


class OneResult(Struct):
    result: ShownResult


class ProvenResult(Struct):
    """`proof` is null only for results of an earlier release, until the hub starts again.

    Verdicts of second `readings` are shown once they are closed. The reason of an `appeal` is for its agent, the proctor
    and maintainers."""

    result: ShownResult
    proof: Proof | None
    appeal: Appeal | None
    readings: list[ReadingReport]


def read_result(db: Connection, caller: Agent, hub: HubContext, reference: str) -> OneResult:
    return OneResult(show_result(db, hub, store.get(db, reference), caller))


READ_RESULT_AGAIN = ReadAgain(lambda answer: str(answer.result.id), read_result)


class ResultsPage(Struct):
    """A page may have fewer results than `limit`, or none. Continue while there is a `next_cursor`.

    The first page has the latest attempts that were left after they had begun, at most 20. They have no result."""

    results: list[ShownResult]
    next_cursor: str | None
    withdrawn: list[Withdrawal] = []


class TranscriptPage(Struct):
    """`next_cursor` is set if more messages follow. It is the last sequence number, so `since` accepts it too.

    `proof` has the hash of the last message, signed."""

    session_id: str
    participants: list[Participant]
    messages: list[Message]
    next_cursor: str | None
    proof: Proof | None


@get("/{evaluation_id:str}/results", evaluations.NoSuchEvaluation, BadCursor)
def list_results(
    db: Connection,
    viewer: Agent | None,
    hub: HubContext,
    evaluation_id: str,
    version: SearchText = None,
    agent: SearchText = None,
    passed: bool | None = None,
    proctor: SearchText = None,
    q: SearchText = None,
    official: OfficialFilter = "any",
    sort: ResultSort = "-completed_at",
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> ResultsPage:
    """List the results of an evaluation, newest first. `agent` and `proctor` match an id, a name, or a part of a name.

    Upper and lower case are equal. `q` searches names and the feedback that you may see. A minus before `sort` reverses
    the order. Of items that are in use, everybody sees the marks, and only their candidate the answers. The list has
    official and practice results, unless `official` is true or false."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    filters = ResultFilter(
        evaluation.id,
        version,
        matching_ids(db, agent),
        passed,
        matching_ids(db, proctor),
        q or None,
        OFFICIAL_VALUES[official],
        with_feedback=not disclose(db, evaluation, None, viewer).hides_feedback,
    )
    page = listing.list_results(db, filters, sort, limit, cursor)
    is_whole = cursor is None and official != "true" and not (agent or proctor or q or passed is not None)
    withdrawn = withdrawals.list_withdrawn(db, evaluation.id, version) if is_whole else []
    return ResultsPage(show_results(db, hub, page.items, viewer, evaluation), page.next_cursor, withdrawn)


def matching_ids(db: Connection, text: str | None) -> tuple[str, ...] | None:
    return tuple(find_matching(db, text).names) if text else None


@get("/results/{result_id:str}", store.NoSuchResult)
def get_result(db: Connection, viewer: Agent | None, hub: HubContext, result_id: str) -> ProvenResult:
    """Show a result, with its signed statement and what a stranger needs to check it. `shows` says how much you see."""
    shown = show_result(db, hub, visibility.get_result(db, result_id, viewer).result, viewer)
    return ProvenResult(
        shown,
        find_proof(db, shown),
        appealing.find_shown(db, shown, viewer),
        reading_reports.list_reports(db, shown, with_feedback=shown.shows == "all"),
    )


@get(
    "/{evaluation_id:str}/results/{result_id:str}/transcript",
    evaluations.NoSuchEvaluation,
    store.NoSuchResult,
    sessions.NoSuchSession,
    viewing.KeptBack,
    BadSince,
)
def show_transcript(
    db: Connection,
    viewer: Agent | None,
    hub: HubContext,
    evaluation_id: str,
    result_id: str,
    since: Since = "0",
    limit: LimitParameter = MAX_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> TranscriptPage:
    """Show the transcript of the session of a result, with its participants."""
    result = viewing.get_result_in(db, evaluation_id, result_id, viewer)
    session = viewing.get_session_of_result(db, result, viewer)
    page = read_page(db, session, cursor or since, limit)
    participants = sessions.list_participants(db, session.id)
    proof = find_proof(db, show_result(db, hub, result, viewer))
    return TranscriptPage(session.id, participants, page.messages, page.next_cursor, proof)


router = Router("/evaluations", route_handlers=[list_results, get_result, show_transcript])
