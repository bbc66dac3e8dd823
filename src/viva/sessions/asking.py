"""Asking a candidate that is an A2A agent: a job passes on one message of the proctor at a time, in their order."""

from viva.jobs import queue
from viva.kit.db import Connection
from viva.kit.limits import grant_today

ASK_WORK = "ask_a2a_agent"
MAX_A2A_QUESTIONS_PER_DAY = 200  # of one candidate; a slow agent occupies a worker for a minute at each try
TOO_MANY_QUESTIONS = f"The agent was asked {MAX_A2A_QUESTIONS_PER_DAY} times today. It is asked again tomorrow."


def ask(db: Connection, session_id: str, sequence: int) -> None:
    """Put the job that asks the candidate's agent this message. The caller holds the session."""
    (candidate_id,) = db.execute(
        "SELECT agent_id FROM evaluation_session_participants WHERE session_id = ? AND role = 'candidate'", [session_id]
    ).fetchone()
    if not grant_today(db, f"a2a:{candidate_id}", MAX_A2A_QUESTIONS_PER_DAY):
        note_fault(db, session_id, sequence, TOO_MANY_QUESTIONS)
        return
    db.execute("UPDATE evaluation_sessions SET a2a_asked = ? WHERE id = ?", [sequence, session_id])
    queue.put(db, ASK_WORK, {"session_id": session_id, "sequence": sequence}, account_id=candidate_id)


def settle(db: Connection, session_id: str, sequence: int, fault: str | None = None) -> bool:
    """End the question, and ask the next. False if it is not open: it was settled before, or the session has ended.

    Of two callers at once, this statement admits one."""
    settled = db.execute(
        "UPDATE evaluation_sessions SET a2a_asked = 0 WHERE id = ? AND a2a_asked = ? AND status = 'active'",
        [session_id, sequence],
    )
    if settled.rowcount == 0:
        return False
    if fault:
        note_fault(db, session_id, sequence, fault)
    (following,) = db.execute(
        "SELECT min(sequence) FROM evaluation_messages WHERE session_id = ? AND role = 'proctor' AND sequence > ?",
        [session_id, sequence],
    ).fetchone()
    if following:
        ask(db, session_id, following)
    return True


def note_fault(db: Connection, session_id: str, sequence: int, reason: str) -> None:
    fault = f"Message {sequence} got no reply. {queue.clean_reason(reason)}"
    db.execute("UPDATE evaluation_sessions SET a2a_fault = ? WHERE id = ?", [fault, session_id])
