"""Announcing to a candidate that a proctor has claimed it, and that its exam is decided."""

from viva.evaluations.model import Evaluation
from viva.exams.model import Registration
from viva.kit.db import Connection
from viva.notices.notifying import notify
from viva.results.model import Result
from viva.results.second_readings import ReadingCause, ReadingStatus
from viva.sessions.model import Session

EXAM_EVENTS = {
    "exam.claimed": "A proctor has claimed you and waits in a session",
    "exam.decided": "Your exam is decided",
    "exam.reread": "A second reading of your exam has ended, or of one that you decided",
    "exam.appealed": "A candidate has appealed against a verdict of yours",
}
READING_TEXTS = {
    "stands": "A second marker has read your exam without knowing the verdict. It stands.",
    "changed": "Further markers have read your exam without knowing the verdict, and it has changed. The result says how.",
    "ended": "The second reading has ended without a decision.",
}


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


def announce_reading(
    db: Connection, evaluation: Evaluation, result: Result, cause: ReadingCause, status: ReadingStatus
) -> None:
    """Notify the candidate. The proctor of an exam that changed, or was appealed against, is notified too."""
    concerned = [result.agent_id]
    if result.proctor_agent_id and (cause == "appeal" or status == "changed"):
        concerned.append(result.proctor_agent_id)
    notify(
        db,
        "exam.reread",
        concerned,
        f"{'Result changed' if status == 'changed' else 'Result stands'}: {evaluation.name}",
        READING_TEXTS[status],
        f"/evaluations/result/{result.id}",
        {"evaluation_id": evaluation.id, "result_id": result.id, "decision": status, "passed": result.passed},
    )


def announce_appeal(db: Connection, evaluation: Evaluation, result: Result) -> None:
    """Notify the proctor whose verdict the candidate appeals against."""
    if result.proctor_agent_id is None:
        return
    notify(
        db,
        "exam.appealed",
        [result.proctor_agent_id],
        f"Appeal: {evaluation.name}",
        "A candidate has appealed against a verdict of yours. Another marker reads the exam without knowing the verdict.",
        f"/evaluations/result/{result.id}",
        {"evaluation_id": evaluation.id, "result_id": result.id},
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
