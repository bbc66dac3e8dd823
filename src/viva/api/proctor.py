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
from viva.context import HubContext
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import marking_work, proctoring, visibility, waiting_list, waiting_worth
from viva.exams.claim_limits import TooManyClaims
from viva.exams.handlers.proctor_marks import MAX_CRITERION_NOTE_CHARACTERS, BadCriteria, GivenCriterion
from viva.exams.handlers.proctored import BadScore, ResultDataTooDeep, ResultDataTooLarge, Verdict
from viva.exams.revealing import show_result
from viva.exams.store import NoSuchRegistration
from viva.exams.waiting_list import UnmarkedSheet, WaitingCandidate
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.results.official import Worth
from viva.results.store import AlreadyDecided
from viva.sessions.store import AlreadyClaimed

RegistrationId = Annotated[str, Meta(min_length=1, max_length=100)]


class ClaimBody(Struct, forbid_unknown_fields=True):
    """Without `registration_id` you take the candidate who has waited longest. Some evaluations allow nothing else."""

    registration_id: RegistrationId | None = None


class ReleaseBody(Struct, forbid_unknown_fields=True):
    registration_id: RegistrationId


class CriterionBody(Struct, forbid_unknown_fields=True):
    """Your mark for a criterion, in points, or whether it is met if the evaluation has no score."""

    id: Annotated[str, Meta(min_length=1, max_length=100)]
    mark: float | None = None
    met: bool | None = None
    note: Annotated[str, Meta(max_length=MAX_CRITERION_NOTE_CHARACTERS)] = ""


class SubmitBody(Struct, forbid_unknown_fields=True):
    """`score` is allowed only if the evaluation has a `max_score`. If `criteria` has a mark for each criterion, the marks
    add up to the score. `result_data` is a JSON object, such as further notes, of at most 64 KiB and at most 200 levels of
    lists and objects. With `practice`, the verdict does not count. An incomplete exam is practice by itself."""

    registration_id: RegistrationId
    passed: bool
    proctor_feedback: Annotated[str, Meta(max_length=20_000)] | None = None
    score: float | None = None
    result_data: dict[str, Any] | None = None
    criteria: Annotated[list[CriterionBody], Meta(max_length=100)] = []
    practice: bool = False


class Pending(Struct, omit_defaults=True):
    """A candidate to claim, or work to mark on the rubric form. Work to mark has `opened_at`, the time when proctors
    could first see it, and `markings`, the number of proctors who have marked it.

    `official` says whether your verdict would be official after a complete exam, and `official_reasons` why not."""

    registration_id: str | None = None
    cohort_id: str | None = None
    candidate_agent_id: str | None = None
    candidate_name: str | None = None
    candidate_description: str | None = None
    evaluation_version: str | None = None
    started_at: datetime | None = None
    opened_at: datetime | None = None
    markings: int | None = None
    official: bool | None = None
    official_reasons: list[str] | None = None


class PendingReading(Struct):
    """A decided exam to be read by a marker who does not know the verdict. Why, is not told: it would hint at it."""

    reading_id: str
    opened_at: datetime
    locked_until: datetime | None  # if you have taken it


class PendingPage(Struct):
    """`readings` are second readings that you may take, with or without an appeal. All pages have the same ones."""

    pending: list[Pending]
    next_cursor: str | None
    readings: list[PendingReading]


class ClaimView(Struct):
    session_id: str
    registration_id: str
    candidate_agent_id: str
    candidate_name: str


def pending(
    db: Connection,
    caller: Agent,
    hub: HubContext,
    evaluation_id: str,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> PendingPage:
    """List candidates who wait for a proctor, or work that waits for marks. The longest wait comes first.

    Beside them are the second readings that you may take."""
    evaluation = visibility.get_evaluation(db, evaluation_id, caller)
    items: list[WaitingCandidate] | list[UnmarkedSheet]
    if evaluation.type == "proctored":
        items, next_cursor = proctoring.list_waiting(db, evaluation.id, limit, cursor, caller)
    else:
        items, next_cursor = waiting_list.list_sheets(db, evaluation.id, limit, cursor)
    worths = waiting_worth.assess_waiting(db, hub.proctors, evaluation.id, caller, items)
    readings = marking_work.list_readings(db, caller, hub.proctors, evaluation.id)
    return PendingPage(
        [to_pending(items[at], worth) for at, worth in enumerate(worths)],
        next_cursor,
        [PendingReading(each.reading_id, each.opened_at, each.locked_until) for each in readings],
    )


def to_pending(waiting: WaitingCandidate | UnmarkedSheet, worth: Worth) -> Pending:
    fields = {name: getattr(waiting, name, None) for name in Pending.__struct_fields__}
    return Pending(**fields | {"official": worth.official, "official_reasons": list(worth.reasons)})


EVALUATION_ERRORS = (NoSuchEvaluation, proctoring.NotProctored)
list_pending = get("/proctor/pending", NoSuchEvaluation, BadCursor)(pending)
# The API promises both addresses.
list_pending_too = get("/pending-proctor", NoSuchEvaluation, BadCursor)(pending)


@post(
    "/proctor/claim",
    *EVALUATION_ERRORS,
    NoSuchRegistration,
    proctoring.OwnExam,
    proctoring.NotWaiting,
    proctoring.CandidatesAreDrawn,
    proctoring.NobodyWaits,
    TooManyClaims,
    AlreadyClaimed,
)
def claim(db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, data: ClaimBody) -> ClaimView:
    """Claim a candidate. This opens the session of the exam. At most three of your sessions may be open at once.

    Without a `registration_id` you take the candidate who has waited longest. From now on `GET /evaluations/{id}` has the
    procedure."""
    if data.registration_id is None:
        session, candidate = proctoring.claim_next(db, evaluation_id, caller, hub.proctors)
    else:
        session, candidate = proctoring.claim(db, evaluation_id, data.registration_id, caller, hub.proctors)
    return ClaimView(session.id, session.registration_id or "", candidate.id, candidate.name)


@post(
    "/proctor/release",
    *EVALUATION_ERRORS,
    NoSuchRegistration,
    proctoring.NotYourCandidate,
    proctoring.NotWaiting,
    status=200,
)
def release(db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, data: ReleaseBody) -> OneRegistration:
    """Release a candidate, who returns to the waiting list."""
    return view(db, proctoring.release(db, evaluation_id, data.registration_id, caller), hub)


@post(
    "/proctor/submit",
    *EVALUATION_ERRORS,
    NoSuchRegistration,
    proctoring.NotYourCandidate,
    proctoring.NotWaiting,
    BadScore,
    BadCriteria,
    ResultDataTooDeep,
    ResultDataTooLarge,
    AlreadyDecided,
    read_again=READ_RESULT_AGAIN,
)
def submit(db: Connection, hub: HubContext, caller: Agent, evaluation_id: str, data: SubmitBody) -> OneResult:
    """Submit your verdict. It becomes the result, and the session ends. The result says whether it is official."""
    criteria = tuple(GivenCriterion(each.id, each.mark, each.met, each.note) for each in data.criteria)
    verdict = Verdict(data.passed, data.proctor_feedback, data.score, data.result_data, criteria, data.practice)
    result = proctoring.submit(db, evaluation_id, data.registration_id, caller, verdict, hub.proctors)
    return OneResult(show_result(db, hub, result, caller))


router = Router(
    "/evaluations/{evaluation_id:str}",
    route_handlers=[list_pending, list_pending_too, claim, release, submit],
)
