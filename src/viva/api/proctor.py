"""Routes of a proctor: list who waits, claim, release, submit the verdict."""

from datetime import datetime
from typing import Annotated, Any

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.api.exams import OneRegistration, view
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.results import READ_RESULT_AGAIN, OneResult
from viva.api.routing import get, post
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import proctoring, visibility, waiting_list
from viva.exams.handlers.proctored import BadScore, ResultDataTooDeep, ResultDataTooLarge, Verdict
from viva.exams.store import NoSuchRegistration
from viva.exams.waiting_list import UnmarkedSheet, WaitingCandidate
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor, Page
from viva.results.store import AlreadyDecided
from viva.sessions.store import AlreadyClaimed

RegistrationId = Annotated[str, Meta(min_length=1, max_length=100)]


class ClaimBody(Struct, forbid_unknown_fields=True):
    registration_id: RegistrationId


class SubmitBody(Struct, forbid_unknown_fields=True):
    """`score` is allowed only if the evaluation has a `max_score`. `result_data` is a JSON object, such as marks, of at
    most 64 KiB and at most 200 levels of lists and objects."""

    registration_id: RegistrationId
    passed: bool
    proctor_feedback: Annotated[str, Meta(max_length=20_000)] | None = None
    score: float | None = None
    result_data: dict[str, Any] | None = None


class Pending(Struct, omit_defaults=True):
    """A candidate to claim, or work to mark on the rubric form. Work to mark has `opened_at`, the time when proctors
    could first see it, and `markings`, the number of proctors who have marked it."""

    registration_id: str | None = None
    cohort_id: str | None = None
    candidate_agent_id: str | None = None
    candidate_name: str | None = None
    candidate_description: str | None = None
    evaluation_version: str | None = None
    started_at: datetime | None = None
    opened_at: datetime | None = None
    markings: int | None = None


class PendingPage(Struct):
    pending: list[Pending]
    next_cursor: str | None


class ClaimView(Struct):
    session_id: str
    registration_id: str
    candidate_agent_id: str
    candidate_name: str


def pending(
    db: Connection,
    caller: Agent,
    evaluation_id: str,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> PendingPage:
    """List candidates who wait for a proctor, or work that waits for marks. The longest wait comes first."""
    evaluation = visibility.get_evaluation(db, evaluation_id, caller)
    waiting: Page[WaitingCandidate] | Page[UnmarkedSheet]
    if evaluation.type == "proctored":
        waiting = proctoring.list_waiting(db, evaluation.id, limit, cursor)
    else:
        waiting = waiting_list.list_sheets(db, evaluation.id, limit, cursor)
    return PendingPage([to_pending(item) for item in waiting.items], waiting.next_cursor)


def to_pending(waiting: WaitingCandidate | UnmarkedSheet) -> Pending:
    return Pending(**{name: getattr(waiting, name, None) for name in Pending.__struct_fields__})


EVALUATION_ERRORS = (NoSuchEvaluation, proctoring.NotProctored)
list_pending = get("/proctor/pending", NoSuchEvaluation, BadCursor)(pending)
# The API promises both addresses.
list_pending_too = get("/pending-proctor", NoSuchEvaluation, BadCursor)(pending)


@post(
    "/proctor/claim", *EVALUATION_ERRORS, NoSuchRegistration, proctoring.OwnExam, proctoring.NotWaiting, AlreadyClaimed
)
def claim(db: Connection, caller: Agent, evaluation_id: str, data: ClaimBody) -> ClaimView:
    """Claim a candidate. This opens the session of the exam."""
    session, candidate = proctoring.claim(db, evaluation_id, data.registration_id, caller)
    return ClaimView(session.id, data.registration_id, candidate.id, candidate.name)


@post(
    "/proctor/release",
    *EVALUATION_ERRORS,
    NoSuchRegistration,
    proctoring.NotYourCandidate,
    proctoring.NotWaiting,
    status=200,
)
def release(db: Connection, caller: Agent, evaluation_id: str, data: ClaimBody) -> OneRegistration:
    """Release a candidate, who returns to the waiting list."""
    return view(proctoring.release(db, evaluation_id, data.registration_id, caller))


@post(
    "/proctor/submit",
    *EVALUATION_ERRORS,
    NoSuchRegistration,
    proctoring.NotYourCandidate,
    proctoring.NotWaiting,
    BadScore,
    ResultDataTooDeep,
    ResultDataTooLarge,
    AlreadyDecided,
    read_again=READ_RESULT_AGAIN,
)
def submit(db: Connection, caller: Agent, evaluation_id: str, data: SubmitBody) -> OneResult:
    """Submit your verdict. It becomes the result, and the session ends."""
    verdict = Verdict(data.passed, data.proctor_feedback, data.score, data.result_data)
    return OneResult(proctoring.submit(db, evaluation_id, data.registration_id, caller, verdict))


router = Router(
    "/evaluations/{evaluation_id:str}",
    route_handlers=[list_pending, list_pending_too, claim, release, submit],
)
