"""Registrations in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from viva.exams.model import Registration
from viva.jobs.queue import NoSuchJob
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.rows import Cursor, find, many, moment, one

STATUSES_WITHOUT_RESULT = ("cancelled", "expired")
RECORDED_END = ("agent_id", "evaluation_id", "status", "is_try", "is_practice")  # what the log says of such an attempt
REGISTRATION_COLUMNS = ", ".join(Registration.__struct_fields__)


class NoSuchRegistration(NotFound):
    """There is no registration with this id in this evaluation."""


class NotRegistered(Conflict):
    """You have no open registration for this evaluation; register first."""


class Tries(NamedTuple):
    """How often an agent has tried an evaluation, and when the last try ended."""

    number: int
    last_ended_at: datetime | None


def add_registration(
    db: Connection, agent_id: str, evaluation_id: str, is_practice: bool = False
) -> Registration | None:
    """Add a registration; None if the agent has an open one. A unique index decides between two at once."""
    return notify_agent(
        db,
        db.execute(
            f"""
            INSERT INTO evaluation_registrations (id, agent_id, evaluation_id, status, registered_at, is_practice)
            VALUES (?, ?, ?, 'registered', ?, ?)
            ON CONFLICT (agent_id, evaluation_id) WHERE status IN ('registered', 'in_progress') DO NOTHING
            RETURNING {REGISTRATION_COLUMNS}
            """,
            [new_id("eval_reg"), agent_id, evaluation_id, now(), is_practice],
        ),
    )


def hold(db: Connection, evaluation_id: str, registration_id: str) -> Registration:
    """The registration, locked until commit, so that claim, release, verdict and withdrawal are serialized."""
    return one(
        Registration,
        db.execute(
            f"UPDATE evaluation_registrations SET status = status WHERE id = ? AND evaluation_id = ? RETURNING {REGISTRATION_COLUMNS}",
            [registration_id, evaluation_id],
        ),
        NoSuchRegistration,
    )


def hold_any(db: Connection, registration_id: str) -> Registration:
    """The registration of any evaluation, locked until commit."""
    return one(
        Registration,
        db.execute(
            f"UPDATE evaluation_registrations SET status = status WHERE id = ? RETURNING {REGISTRATION_COLUMNS}",
            [registration_id],
        ),
        NoSuchRegistration,
    )


def hold_running(db: Connection, registration_id: str) -> Registration | None:
    """The registration, locked until commit; None if it has ended, for example by account deletion."""
    return find(
        Registration,
        db.execute(
            f"""
            UPDATE evaluation_registrations SET status = status
            WHERE id = ? AND status = 'in_progress' RETURNING {REGISTRATION_COLUMNS}
            """,
            [registration_id],
        ),
    )


def get(db: Connection, registration_id: str) -> Registration:
    return one(
        Registration,
        db.execute(f"SELECT {REGISTRATION_COLUMNS} FROM evaluation_registrations WHERE id = ?", [registration_id]),
        NoSuchRegistration,
    )


def find_last_status(db: Connection, agent_id: str, evaluation_id: str) -> str | None:
    """The status of the agent's last registration for the evaluation; None if there is none."""
    row = db.execute(
        "SELECT status FROM evaluation_registrations WHERE agent_id = ? AND evaluation_id = ? ORDER BY id DESC LIMIT 1",
        [agent_id, evaluation_id],
    ).fetchone()
    return None if row is None else str(row[0])


def find_last(db: Connection, agent_id: str, evaluation_id: str) -> Registration | None:
    """The agent's last registration for the evaluation, open or not."""
    return find(
        Registration,
        db.execute(
            f"""
            SELECT {REGISTRATION_COLUMNS} FROM evaluation_registrations WHERE agent_id = ? AND evaluation_id = ?
            ORDER BY id DESC LIMIT 1
            """,
            [agent_id, evaluation_id],
        ),
    )


def is_being_taken(db: Connection, evaluation_id: str, version: str) -> bool:
    """Whether an attempt at this version is under way."""
    row = db.execute(
        """
        SELECT 1 FROM evaluation_registrations
        WHERE evaluation_id = ? AND status = 'in_progress' AND evaluation_version = ? LIMIT 1
        """,
        [evaluation_id, version],
    ).fetchone()
    return row is not None


def find_open(db: Connection, agent_id: str, evaluation_id: str) -> Registration | None:
    return find(
        Registration,
        db.execute(
            f"""
            SELECT {REGISTRATION_COLUMNS} FROM evaluation_registrations
            WHERE agent_id = ? AND evaluation_id = ? AND status IN ('registered', 'in_progress')
            """,
            [agent_id, evaluation_id],
        ),
    )


def list_open(db: Connection, agent_id: str) -> list[Registration]:
    return many(
        Registration,
        db.execute(
            f"SELECT {REGISTRATION_COLUMNS} FROM evaluation_registrations WHERE agent_id = ? AND status IN ('registered', 'in_progress')",
            [agent_id],
        ),
    )


def start(
    db: Connection,
    registration_id: str,
    version: str,
    digest: str,
    is_practice: bool = False,
    a2a_url: str | None = None,
) -> Registration | None:
    """Start the registration and fix its version; None if it is not `registered`. Practice stays practice."""
    return notify_agent(
        db,
        db.execute(
            f"""
            UPDATE evaluation_registrations
            SET status = 'in_progress', started_at = ?, evaluation_version = ?, evaluation_digest = ?,
                is_practice = is_practice OR ?, a2a_url = ?
            WHERE id = ? AND status = 'registered' RETURNING {REGISTRATION_COLUMNS}
            """,
            [now(), version, digest, is_practice, a2a_url, registration_id],
        ),
    )


def close(db: Connection, registration_id: str, status: str, is_try: bool = True) -> Registration | None:
    """End an open registration as completed, failed, cancelled or expired; None if it had already ended."""
    ended = notify_agent(
        db,
        db.execute(
            f"""
            UPDATE evaluation_registrations SET status = ?, completed_at = ?, is_try = ?
            WHERE id = ? AND status IN ('registered', 'in_progress') RETURNING {REGISTRATION_COLUMNS}
            """,
            [status, now(), is_try, registration_id],
        ),
    )
    if ended and status in STATUSES_WITHOUT_RESULT:
        record_end(db, ended)
    return ended


def record_end(db: Connection, ended: Registration) -> None:
    """Record how an attempt without a result ended. Of others, the event of the result says it."""
    events.record(
        db, "attempt.ended", "registration", ended.id, **{name: getattr(ended, name) for name in RECORDED_END}
    )


def set_decision(db: Connection, registration_id: str, passed: bool) -> None:
    """Let an ended registration say what a second reading decided."""
    db.execute(
        "UPDATE evaluation_registrations SET status = ? WHERE id = ? AND status IN ('completed', 'failed')",
        ["completed" if passed else "failed", registration_id],
    )


def cancel_failed(db: Connection, work: str) -> int:
    """Cancel the registrations whose job of this kind has failed. They do not count as tries.

    Returns how many there were."""
    cancelled = many(
        Registration,
        db.execute(
            f"""
            UPDATE evaluation_registrations SET status = 'cancelled', completed_at = ?, is_try = FALSE
            WHERE status = 'in_progress'
                AND id IN (SELECT data ->> 'registration_id' FROM jobs WHERE status = 'failed' AND work = ?)
            RETURNING {REGISTRATION_COLUMNS}
            """,
            [now(), work],
        ),
    )
    for registration in cancelled:
        record_end(db, registration)
        db.notify(registration.agent_id)
    return len(cancelled)


def get_unfinished_job_id(db: Connection, work: str, registration_id: str) -> str:
    """The id of the newest job of this kind about the registration that is not done."""
    row = db.execute(
        """
        SELECT id FROM jobs WHERE status IN ('waiting', 'running', 'failed') AND work = ?
            AND data ->> 'registration_id' = ? ORDER BY id DESC LIMIT 1
        """,
        [work, registration_id],
    ).fetchone()
    if row is None:
        raise NoSuchJob()
    return str(row[0])


def list_with_failed_job(db: Connection, work: str, limit: int) -> list[str]:
    """Running registrations without a sheet whose job of this kind has failed."""
    rows = db.execute(
        """
        SELECT id FROM evaluation_registrations r
        WHERE status = 'in_progress' AND NOT EXISTS (SELECT 1 FROM evaluation_sheets s WHERE s.registration_id = r.id)
            AND id IN (SELECT data ->> 'registration_id' FROM jobs WHERE status = 'failed' AND work = ?)
        ORDER BY id LIMIT ?
        """,
        [work, limit],
    ).fetchall()
    return [registration_id for (registration_id,) in rows]


def notify_agent(db: Connection, changed: Cursor) -> Registration | None:
    """The changed registration, if there is one. Its agent may wait for the change."""
    registration = find(Registration, changed)
    if registration:
        db.notify(registration.agent_id)
    return registration


def count_tries(db: Connection, agent_ids: Sequence[str], evaluation_id: str) -> Tries:
    """The ended registrations that count as tries of the first agent. The others are accounts of the same owner.

    What these have open counts already, so that one owner cannot try with several accounts at once."""
    placeholders = ", ".join("?" for _ in agent_ids)
    number, last_ended_at = db.execute(
        f"""
        SELECT count(*), max(completed_at) FROM evaluation_registrations
        WHERE agent_id IN ({placeholders}) AND evaluation_id = ?
            AND CASE WHEN completed_at IS NULL THEN agent_id <> ? AND NOT is_practice ELSE is_try END
        """,
        [*agent_ids, evaluation_id, agent_ids[0]],
    ).fetchone()
    return Tries(number, last_ended_at and moment(last_ended_at))


def find_passed(db: Connection, agent_id: str, evaluation_ids: list[str]) -> set[str]:
    """Those of the evaluations that the agent has passed officially."""
    if not evaluation_ids:
        return set()
    placeholders = ", ".join("?" for _ in evaluation_ids)
    rows = db.execute(
        f"""
        SELECT DISTINCT evaluation_id FROM evaluation_results
        WHERE agent_id = ? AND passed AND official AND NOT is_private AND evaluation_id IN ({placeholders})
        """,
        [agent_id, *evaluation_ids],
    ).fetchall()
    return {evaluation_id for (evaluation_id,) in rows}
