"""Who may not read a result again: its candidate, its class, and everybody who has marked it."""

from viva.kit.db import Connection
from viva.results.model import Result

MARKERS = """
    SELECT m.marker AS agent_id FROM evaluation_markings m JOIN evaluation_sheets s ON s.id = m.sheet_id
    WHERE m.kind = 'proctor' AND (s.registration_id = :registration_id OR s.cohort_id = :cohort_id)
"""
READERS = """
    SELECT v.marker_agent_id FROM blind_verdicts v JOIN second_readings s ON s.id = v.second_reading_id
    WHERE s.result_id = :result_id
"""
CLASS = """
    SELECT c.opened_by_agent_id FROM evaluation_cohorts c WHERE c.id = :cohort_id
    UNION SELECT c.instructor_agent_id FROM evaluation_cohorts c WHERE c.id = :cohort_id
    UNION SELECT m.agent_id FROM evaluation_cohort_members m WHERE m.cohort_id = :cohort_id
"""
SESSION = "SELECT p.agent_id FROM evaluation_session_participants p WHERE p.session_id = :session_id"


def list_parties(db: Connection, result: Result) -> list[str]:
    """Their ids."""
    rows = db.execute(
        f"{MARKERS} UNION {READERS} UNION {CLASS} UNION {SESSION}",
        {
            "registration_id": result.registration_id,
            "cohort_id": result.cohort_id,
            "result_id": result.id,
            "session_id": result.session_id,
        },
    ).fetchall()
    return [result.agent_id, *(agent_id for (agent_id,) in rows if agent_id is not None)]
