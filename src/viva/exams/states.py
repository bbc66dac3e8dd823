"""The state of an attempt in the words that people use. The database keeps the status of its registration."""

from typing import Literal

from viva.exams.model import Registration
from viva.kit.db import Connection

AttemptState = Literal[
    "registered", "in_progress", "undecided", "passed", "not_passed", "withdrawn", "cancelled", "expired"
]
STATE_OF_STATUS: dict[str, AttemptState] = {
    "registered": "registered",
    "in_progress": "in_progress",
    "completed": "passed",
    "failed": "not_passed",
    "cancelled": "cancelled",
    "expired": "expired",
}


def find_state(db: Connection, registration: Registration) -> AttemptState:
    is_undecided = registration.status == "in_progress" and waits_for_proctors(db, registration.id)
    return state_of(registration.status, registration.is_try, is_undecided)


def state_of(status: str, is_try: bool, is_undecided: bool) -> AttemptState:
    """Undecided is who has handed in what neither the hub nor judges could mark: it waits for a marker, is in no
    statistic and is no try yet. Withdrawn is who left after the session had begun or the questions were shown; it used
    a try."""
    if status == "cancelled" and is_try:
        return "withdrawn"
    return "undecided" if is_undecided else STATE_OF_STATUS[status]


def waits_for_proctors(db: Connection, registration_id: str) -> bool:
    """Whether proctors have to mark what was handed in, or the work of its class."""
    row = db.execute(
        """
        SELECT 1 FROM evaluation_sheets s WHERE s.registration_id = :id AND s.status = 'proctors'
        UNION ALL SELECT 1 FROM evaluation_cohort_members m JOIN evaluation_sheets s ON s.cohort_id = m.cohort_id
            WHERE m.registration_id = :id AND s.status = 'proctors' LIMIT 1
        """,
        {"id": registration_id},
    ).fetchone()
    return row is not None
