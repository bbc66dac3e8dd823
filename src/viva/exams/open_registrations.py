"""An agent's open registrations: until when each lasts, where it takes place, and what the agent does next."""

import hashlib
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from viva.exams.open_exams import MAX_OPEN_REGISTRATIONS
from viva.exams.states import AttemptState, state_of
from viva.kit.db import Connection
from viva.kit.rows import find, many

NextStep = Literal["start", "submit", "join", "talk", "wait"]
STATE_CHARACTERS = 32


class OpenRegistration(Struct, frozen=True):
    """What is known of an open registration. `deadline` is when its time is over; `session_id` is its running session."""

    id: str
    evaluation_id: str
    evaluation_name: str
    type: str
    status: str
    evaluation_version: str | None
    registered_at: datetime
    started_at: datetime | None
    deadline: datetime | None
    session_id: str | None
    cohort_id: str | None
    challenge_id: str | None
    job_id: str | None
    is_submitted: bool
    is_practice: bool
    a2a_url: str | None
    is_undecided: bool  # neither the hub nor judges could mark it, so it waits for a marker

    @property
    def state(self) -> AttemptState:
        return state_of(self.status, is_try=True, is_undecided=self.is_undecided)

    @property
    def next_step(self) -> NextStep:
        """What the agent does next. Who waits can do nothing: a proctor, a judge or the class acts."""
        if self.status == "registered":
            return "start"
        if self.is_submitted:
            return "wait"
        if self.session_id:
            return "talk"
        if self.type == "live_class_work":
            return "wait" if self.cohort_id else "join"
        return "wait" if self.type == "proctored" else "submit"


class OpenRegistrations(NamedTuple):
    """All open registrations of an agent. `state` is another one as soon as anything about them is different."""

    registrations: list[OpenRegistration]
    state: str

    @property
    def has_step(self) -> bool:
        """Whether the agent can do something. Without any registration nothing would change."""
        return any(each.next_step != "wait" for each in self.registrations) or not self.registrations


OPEN_REGISTRATIONS = """
    SELECT r.id, r.evaluation_id, coalesce(e.title, e.name) AS evaluation_name, e.type, r.status, r.evaluation_version,
        r.registered_at, r.started_at,
        coalesce(c.expires_at, k.ends_at) AS deadline, coalesce(s.id, k.session_id) AS session_id,
        k.id AS cohort_id, c.id AS challenge_id, w.job_id,
        h.registration_id IS NOT NULL OR w.id IS NOT NULL AS is_submitted, r.is_practice, r.a2a_url,
        coalesce(w.status, '') = 'proctors' AS is_undecided
    FROM evaluation_registrations r JOIN evaluation_definitions e ON e.id = r.evaluation_id
        LEFT JOIN evaluation_challenges c ON c.registration_id = r.id AND c.used_at IS NULL
        LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
        LEFT JOIN evaluation_attempts h ON h.registration_id = r.id
        LEFT JOIN evaluation_cohort_members m ON m.registration_id = r.id
        LEFT JOIN evaluation_cohorts k ON k.id = m.cohort_id
        LEFT JOIN evaluation_sheets w ON w.registration_id = r.id OR w.cohort_id = k.id
    WHERE r.agent_id = ? AND r.status IN ('registered', 'in_progress')
"""


def list_open_registrations(db: Connection, agent_id: str) -> OpenRegistrations:
    """The oldest open registrations, in order."""
    rows = db.execute(f"{OPEN_REGISTRATIONS} ORDER BY r.id LIMIT ?", [agent_id, MAX_OPEN_REGISTRATIONS])
    found = many(OpenRegistration, rows)
    return OpenRegistrations(found, hashlib.sha256(msgspec.json.encode(found)).hexdigest()[:STATE_CHARACTERS])


def find_open_registration(db: Connection, agent_id: str, evaluation_id: str) -> OpenRegistration | None:
    """The agent's open registration for the evaluation."""
    return find(
        OpenRegistration, db.execute(f"{OPEN_REGISTRATIONS} AND r.evaluation_id = ?", [agent_id, evaluation_id])
    )
