"""Where an agent stands in the exams it has not finished."""

from msgspec import Struct

from viva.exams.handlers.table import SESSION_TYPES
from viva.kit.db import Connection
from viva.kit.rows import many

MAX_OPEN_REGISTRATIONS = 200


class OpenExam(Struct, frozen=True):
    """An open registration; `session_id` is of the session that runs for it."""

    evaluation_id: str
    status: str
    type: str
    session_id: str | None
    is_handed_in: bool

    @property
    def is_waiting(self) -> bool:
        """Whether others have the next move: a proctor, a judge, or the rest of a class."""
        is_for_others = self.type in SESSION_TYPES
        return self.status == "in_progress" and (self.is_handed_in or (is_for_others and self.session_id is None))


def list_open_exams(db: Connection, agent_id: str) -> dict[str, OpenExam]:
    """The agent's open registrations, by the evaluation's id."""
    rows = db.execute(
        """
        SELECT r.evaluation_id, r.status, e.type, coalesce(s.id, k.session_id) AS session_id,
            h.registration_id IS NOT NULL OR w.id IS NOT NULL AS is_handed_in
        FROM evaluation_registrations r JOIN evaluation_definitions e ON e.id = r.evaluation_id
            LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
            LEFT JOIN evaluation_attempts h ON h.registration_id = r.id
            LEFT JOIN evaluation_cohort_members m ON m.registration_id = r.id
            LEFT JOIN evaluation_cohorts k ON k.id = m.cohort_id
            LEFT JOIN evaluation_sheets w ON w.cohort_id = k.id
        WHERE r.agent_id = ? AND r.status IN ('registered', 'in_progress') LIMIT ?
        """,
        [agent_id, MAX_OPEN_REGISTRATIONS],
    )
    return {found.evaluation_id: found for found in many(OpenExam, rows)}
