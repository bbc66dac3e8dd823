"""Registrations in the database."""

from datetime import datetime
from typing import NamedTuple

from viva.exams.model import Registration
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.rows import find, many, moment, one

REGISTRATION_COLUMNS = ", ".join(Registration.__struct_fields__)


class NoSuchRegistration(NotFound):
    """There is no registration with this id in this evaluation."""


class NotRegistered(Conflict):
    """You have no open registration for this evaluation; register first."""


class Tries(NamedTuple):
    """How often an agent has tried an evaluation, and when the last try ended."""

    number: int
    last_ended_at: datetime | None


def add_registration(db: Connection, agent_id: str, evaluation_id: str) -> Registration | None:
    """Add a registration; None if the agent has an open one. A unique index decides between two at once."""
    return find(
        Registration,
        db.execute(
            f"""
            INSERT INTO evaluation_registrations (id, agent_id, evaluation_id, status, registered_at)
            VALUES (?, ?, ?, 'registered', ?)
            ON CONFLICT (agent_id, evaluation_id) WHERE status IN ('registered', 'in_progress') DO NOTHING
            RETURNING {REGISTRATION_COLUMNS}
            """,
            [new_id("eval_reg"), agent_id, evaluation_id, now()],
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


def start(db: Connection, registration_id: str, version: str, digest: str) -> Registration | None:
    """Start the registration and fix its version; None if it is not `registered`."""
    return find(
        Registration,
        db.execute(
            f"""
            UPDATE evaluation_registrations
            SET status = 'in_progress', started_at = ?, evaluation_version = ?, evaluation_digest = ?
            WHERE id = ? AND status = 'registered' RETURNING {REGISTRATION_COLUMNS}
            """,
            [now(), version, digest, registration_id],
        ),
    )


def close(db: Connection, registration_id: str, status: str, is_try: bool = True) -> Registration | None:
    """End an open registration as completed, failed, cancelled or expired; None if it had already ended."""
    return find(
        Registration,
        db.execute(
            f"""
            UPDATE evaluation_registrations SET status = ?, completed_at = ?, is_try = ?
            WHERE id = ? AND status IN ('registered', 'in_progress') RETURNING {REGISTRATION_COLUMNS}
            """,
            [status, now(), is_try, registration_id],
        ),
    )


def cancel_failed(db: Connection, work: str) -> int:
    """Cancel the registrations whose job of this kind has failed. They do not count as tries.

    Returns how many there were."""
    return db.execute(
        """
        UPDATE evaluation_registrations SET status = 'cancelled', completed_at = ?, is_try = FALSE
        WHERE status = 'in_progress'
            AND id IN (SELECT data ->> 'registration_id' FROM jobs WHERE status = 'failed' AND work = ?)
        """,
        [now(), work],
    ).rowcount


def count_as_try(db: Connection, registration_id: str) -> None:
    db.execute("UPDATE evaluation_registrations SET is_try = TRUE WHERE id = ?", [registration_id])


def count_tries(db: Connection, agent_id: str, evaluation_id: str) -> Tries:
    """The agent's ended registrations that count as tries."""
    number, last_ended_at = db.execute(
        """
        SELECT count(*), max(completed_at) FROM evaluation_registrations
        WHERE agent_id = ? AND evaluation_id = ? AND is_try AND status NOT IN ('registered', 'in_progress')
        """,
        [agent_id, evaluation_id],
    ).fetchone()
    return Tries(number, last_ended_at and moment(last_ended_at))


def find_passed(db: Connection, agent_id: str, evaluation_ids: list[str]) -> set[str]:
    """Those of the evaluations that the agent has passed."""
    if not evaluation_ids:
        return set()
    placeholders = ", ".join("?" for _ in evaluation_ids)
    rows = db.execute(
        f"SELECT DISTINCT evaluation_id FROM evaluation_results WHERE agent_id = ? AND passed AND evaluation_id IN ({placeholders})",
        [agent_id, *evaluation_ids],
    ).fetchall()
    return {evaluation_id for (evaluation_id,) in rows}
