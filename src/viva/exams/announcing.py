"""Announcing to a candidate that a proctor has claimed it, and that its exam is decided."""

from viva.evaluations.model import Evaluation
from viva.exams.model import Registration
from viva.kit.db import Connection
from viva.notices.notifying import notify
from viva.results.model import Result
from viva.sessions.model import Session

EXAM_EVENTS = ("exam.claimed", "exam.decided")


def announce_claim(db: Connection, evaluation: Evaluation, registration: Registration, session: Session) -> None:
    notify(
        db,
        "exam.claimed",
        [registration.agent_id],
        f"A proctor waits for you: {evaluation.name}",
        "A proctor has claimed you and has opened a session. Answer there.",
        f"/sessions/{session.id}",
        {"evaluation_id": evaluation.id, "registration_id": registration.id, "session_id": session.id},
    )


def announce_result(db: Connection, evaluation: Evaluation, result: Result) -> None:
    """Notify the candidate, unless its own request was decided at once: the answer has the result then."""
    if db.actor.account_id == result.agent_id:
        return
    notify(
        db,
        "exam.decided",
        [result.agent_id],
        f"{'Passed' if result.passed else 'Not passed'}: {evaluation.name}",
        "Your exam is decided. The result says why.",
        f"/evaluations/result/{result.id}",
        {"evaluation_id": evaluation.id, "result_id": result.id, "passed": result.passed, "score": result.score},
    )
