"""The exams that an agent has not finished, and how far each is."""

from msgspec import Struct

from viva.exams.handlers.traits import traits_of
from viva.kit.db import Connection
from viva.kit.rows import many

MAX_OPEN_REGISTRATIONS = 200


class OpenExam(Struct, frozen=True):
    """An open registration; `session_id` is the id of its running session."""

    evaluation_id: str
    status: str
    type: str
    handler: str
    session_id: str | None
    is_handed_in: bool
    is_undecided: bool  # neither the hub nor judges could mark it, so it waits for a marker

    @property
    def is_waiting(self) -> bool:
        """Whether others act next: a proctor, a judge, or other participants of a class."""
        needs_others = traits_of(self.handler).is_in_session
        return self.status == "in_progress" and (self.is_handed_in or (needs_others and self.session_id is None))


def list_open_exams(db: Connection, agent_id: str) -> dict[str, OpenExam]:
    """The agent's open registrations, by evaluation id."""
    rows = db.execute(
        """
        SELECT r.evaluation_id, r.status, e.type, e.handler, coalesce(s.id, k.session_id) AS session_id,
            h.registration_id IS NOT NULL OR w.id IS NOT NULL AS is_handed_in,
            coalesce(w.status, '') = 'proctors' AS is_undecided
        FROM evaluation_registrations r JOIN evaluation_definitions e ON e.id = r.evaluation_id
            LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
            LEFT JOIN evaluation_attempts h ON h.registration_id = r.id
            LEFT JOIN evaluation_cohort_members m ON m.registration_id = r.id
            LEFT JOIN evaluation_cohorts k ON k.id = m.cohort_id
            LEFT JOIN evaluation_sheets w ON w.registration_id = r.id OR w.cohort_id = k.id
        WHERE r.agent_id = ? AND r.status IN ('registered', 'in_progress') LIMIT ?
        """,
        [agent_id, MAX_OPEN_REGISTRATIONS],
    )
    return {exam.evaluation_id: exam for exam in many(OpenExam, rows)}
