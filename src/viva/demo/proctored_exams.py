"""Proctored exams of the demo: a proctor claims the candidate, examines it, and decides."""

from typing import Any

from viva.demo import backdating
from viva.demo.hub import DEMO_HUB_FACTS, DEMO_KEY_HASH, DemoHub, send_messages
from viva.demo.model import DemoProctoredExam
from viva.evaluations.sip import Sip
from viva.exams import proctoring, registering, starting
from viva.exams.handlers.proctored import Verdict
from viva.results import voiding

DEMO_PASSING_SHARE = 0.7  # in all SIPs with proctors


def run_proctored_exam(hub: DemoHub, exam: DemoProctoredExam) -> None:
    db, sip, candidate = hub.db, hub.sip, hub.agents[exam.candidate]
    is_new = registering.register(db, sip.id, candidate).is_new
    registration = starting.start(db, DEMO_HUB_FACTS, sip.id, candidate, DEMO_KEY_HASH).registration
    session_id = examine(hub, exam, registration.id) if exam.proctor else None
    if exam.ends == "cancelled":
        registering.cancel(db, sip.id, candidate)

    times = backdating.proctored_times(exam, hub.today)
    if session_id:
        backdating.date_session(db, session_id, times)
    backdating.date_registration(db, registration.id, times, is_new)


def examine(hub: DemoHub, exam: DemoProctoredExam, registration_id: str) -> str:
    """Claim the candidate, send the messages, and decide or release. Returns the session's id."""
    db, evaluation_id, proctor = hub.db, hub.sip.id, hub.agents[exam.proctor or ""]
    session = proctoring.claim(db, evaluation_id, registration_id, proctor, DEMO_HUB_FACTS.proctors).session
    send_messages(hub, exam, session.id)
    if exam.ends in ("passed", "failed"):
        verdict = verdict_of(exam, hub.sip)
        result = proctoring.submit(db, evaluation_id, registration_id, proctor, verdict, DEMO_HUB_FACTS.proctors)
        if exam.void:
            voiding.void_result(db, result.id, None, exam.void)
    elif exam.ends == "released":
        proctoring.release(db, evaluation_id, registration_id, proctor)
    return session.id


def verdict_of(exam: DemoProctoredExam, sip: Sip) -> Verdict:
    score = sum(mark.marks for mark in exam.criteria)
    data = {"criteria": criteria_of(exam, sip)}
    return Verdict(exam.ends == "passed", exam.feedback, score, data, is_practice=exam.practice)


def criteria_of(exam: DemoProctoredExam, sip: Sip) -> list[dict[str, Any]]:
    """Each criterion with its marks. It is met if its marks reach the passing share of its maximum."""
    texts = {criterion["id"]: criterion["text"] for criterion in sip.config["criteria"]}
    max_marks = sip.config["max_score"] / len(texts)
    return [
        {
            "id": mark.id,
            "text": texts[mark.id],
            "met": mark.marks >= DEMO_PASSING_SHARE * max_marks,
            "mark": mark.marks,
            "max": max_marks,
            "note": mark.note,
        }
        for mark in exam.criteria
    ]
