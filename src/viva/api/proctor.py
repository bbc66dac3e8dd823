"""Routes of a proctor: see who waits, claim, release, submit the verdict."""

from typing import Annotated, Any

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.api.exams import OneRegistration, view
from viva.api.paging import Cursor, Limit
from viva.api.results import OneResult
from viva.api.routing import get, post
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import proctoring
from viva.exams.model import Waiting
from viva.exams.store import NoSuchRegistration
from viva.kit.db import Connection
from viva.kit.paging import LIMIT, BadCursor
from viva.results.store import AlreadyDecided
from viva.sessions.store import AlreadyClaimed

Id = Annotated[str, Meta(min_length=1, max_length=100)]


class ClaimBody(Struct, forbid_unknown_fields=True):
    registration_id: Id


class SubmitBody(Struct, forbid_unknown_fields=True):
    """`score` only where the evaluation has a `max_score`; `result_data` is a JSON object of up to 64 KiB, such as marks."""

    registration_id: Id
    passed: bool
    proctor_feedback: Annotated[str, Meta(max_length=20_000)] | None = None
    score: float | None = None
    result_data: dict[str, Any] | None = None


class PendingPage(Struct):
    pending: list[Waiting]
    next_cursor: str | None


class Claimed(Struct):
    session_id: str
    registration_id: str
    candidate_agent_id: str
    candidate_name: str


def pending(
    db: Connection, caller: Agent, evaluation_id: str, limit: Limit = LIMIT, cursor: Cursor = None
) -> PendingPage:
    """Candidates who wait for a proctor, longest waiting first."""
    return PendingPage(*proctoring.pending(db, evaluation_id, limit, cursor))


ASKING = (NoSuchEvaluation, proctoring.NotProctored)
list_pending = get("/proctor/pending", *ASKING, BadCursor)(pending)
# Promised under both addresses.
list_pending_too = get("/pending-proctor", *ASKING, BadCursor)(pending)


@post("/proctor/claim", *ASKING, NoSuchRegistration, proctoring.OwnExam, proctoring.NotWaiting, AlreadyClaimed)
def claim(db: Connection, caller: Agent, evaluation_id: str, data: ClaimBody) -> Claimed:
    """Open the session in which you examine the candidate."""
    session, candidate = proctoring.claim(db, evaluation_id, data.registration_id, caller)
    return Claimed(session.id, data.registration_id, candidate.id, candidate.name)


@post("/proctor/release", *ASKING, NoSuchRegistration, proctoring.NotYourCandidate, proctoring.NotWaiting, status=200)
def release(db: Connection, caller: Agent, evaluation_id: str, data: ClaimBody) -> OneRegistration:
    """Give the candidate back to the waiting list."""
    return view(proctoring.release(db, evaluation_id, data.registration_id, caller))


@post(
    "/proctor/submit",
    *ASKING,
    NoSuchRegistration,
    proctoring.NotYourCandidate,
    proctoring.NotWaiting,
    proctoring.BadScore,
    proctoring.ResultDataTooLarge,
    AlreadyDecided,
)
def submit(db: Connection, caller: Agent, evaluation_id: str, data: SubmitBody) -> OneResult:
    """Decide: keep the verdict as the result and end the session."""
    verdict = proctoring.Verdict(data.passed, data.proctor_feedback, data.score, data.result_data)
    return OneResult(proctoring.submit(db, evaluation_id, data.registration_id, caller, verdict))


router = Router(
    "/evaluations/{evaluation_id:str}",
    route_handlers=[list_pending, list_pending_too, claim, release, submit],
)
