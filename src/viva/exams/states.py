"""The state of an attempt in the words that people use. The database keeps the status of its registration."""

from typing import Literal

from viva.exams.model import Registration

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


def state_of(registration: Registration) -> AttemptState:
    """Withdrawn is who left after the session had begun or the questions were shown; it used a try."""
    is_withdrawn = registration.status == "cancelled" and registration.is_try
    return "withdrawn" if is_withdrawn else STATE_OF_STATUS[registration.status]
