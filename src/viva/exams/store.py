"""Registrations in the database."""

from datetime import datetime
from typing import NamedTuple

from viva.exams.model import Registration, Waiting
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many, moment

COLUMNS = ", ".join(Registration.__struct_fields__)


class NoSuchRegistration(NotFound):
    """There is no registration with this id in this evaluation."""


class NotRegistered(Conflict):
    """You have no open registration for this evaluation; register first."""


class Tries(NamedTuple):
    """How often an agent has tried an evaluation, and when the last of these tries ended."""

    number: int
    last_ended_at: datetime | None


def add_registration(db: Connection, agent_id: str, evaluation_id: str) -> Registration | None:
    """A new registration, or None where the agent has an open one: of two at once the index lets one in."""
    return find(
        Registration,
        db.execute(
            f"""
            INSERT INTO evaluation_registrations (id, agent_id, evaluation_id, status, registered_at)
            VALUES (?, ?, ?, 'registered', ?)
            ON CONFLICT (agent_id, evaluation_id) WHERE status IN ('registered', 'in_progress') DO NOTHING
            RETURNING {COLUMNS}
            """,
            [new_id("eval_reg"), agent_id, evaluation_id, now()],
        ),
    )


def hold(db: Connection, evaluation_id: str, registration_id: str) -> Registration:
    """The registration, locked until commit: claim, release, verdict and withdrawal come one after the other."""
    registration = find(
        Registration,
        db.execute(
            f"UPDATE evaluation_registrations SET status = status WHERE id = ? AND evaluation_id = ? RETURNING {COLUMNS}",
            [registration_id, evaluation_id],
        ),
    )
    if registration is None:
        raise NoSuchRegistration()
    return registration


def hold_any(db: Connection, registration_id: str) -> Registration:
    """The registration, locked until commit, whatever its evaluation."""
    registration = find(
        Registration,
        db.execute(
            f"UPDATE evaluation_registrations SET status = status WHERE id = ? RETURNING {COLUMNS}", [registration_id]
        ),
    )
    if registration is None:
        raise NoSuchRegistration()
    return registration


def get(db: Connection, registration_id: str) -> Registration:
    registration = find(
        Registration, db.execute(f"SELECT {COLUMNS} FROM evaluation_registrations WHERE id = ?", [registration_id])
    )
    if registration is None:
        raise NoSuchRegistration()
    return registration


def last_status(db: Connection, agent_id: str, evaluation_id: str) -> str | None:
    """How the agent's last registration for the evaluation stands; None where there is none."""
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
            SELECT {COLUMNS} FROM evaluation_registrations
            WHERE agent_id = ? AND evaluation_id = ? AND status IN ('registered', 'in_progress')
            """,
            [agent_id, evaluation_id],
        ),
    )


def open_of(db: Connection, agent_id: str) -> list[Registration]:
    return many(
        Registration,
        db.execute(
            f"SELECT {COLUMNS} FROM evaluation_registrations WHERE agent_id = ? AND status IN ('registered', 'in_progress')",
            [agent_id],
        ),
    )


def start(db: Connection, registration_id: str, version: str, digest: str) -> Registration | None:
    """Pin what is taken; None where it was started before."""
    return find(
        Registration,
        db.execute(
            f"""
            UPDATE evaluation_registrations
            SET status = 'in_progress', started_at = ?, evaluation_version = ?, evaluation_digest = ?
            WHERE id = ? AND status = 'registered' RETURNING {COLUMNS}
            """,
            [now(), version, digest, registration_id],
        ),
    )


def close(db: Connection, registration_id: str, status: str, is_try: bool = True) -> Registration | None:
    """End an open registration as completed, failed, cancelled or expired; None where it had ended before."""
    return find(
        Registration,
        db.execute(
            f"""
            UPDATE evaluation_registrations SET status = ?, completed_at = ?, is_try = ?
            WHERE id = ? AND status IN ('registered', 'in_progress') RETURNING {COLUMNS}
            """,
            [status, now(), is_try, registration_id],
        ),
    )


def tries(db: Connection, agent_id: str, evaluation_id: str) -> Tries:
    """The agent's tries that count; a cancelled one does not, nor one that nobody could judge."""
    number, last_ended_at = db.execute(
        """
        SELECT count(*), max(completed_at) FROM evaluation_registrations
        WHERE agent_id = ? AND evaluation_id = ? AND is_try AND status IN ('completed', 'failed', 'expired')
        """,
        [agent_id, evaluation_id],
    ).fetchone()
    return Tries(number, last_ended_at and moment(last_ended_at))


def waiting(
    db: Connection, evaluation_id: str, silent_since: datetime, limit: int, cursor: str | None
) -> Page[Waiting]:
    """Candidates no proctor examines, longest waiting first; a claim in which nobody spoke since then counts for nothing."""
    conditions = [
        "r.evaluation_id = :evaluation_id",
        "r.status = 'in_progress'",
        "(s.id IS NULL OR s.active_at < :silent_since)",
    ]
    values: dict[str, object] = {"evaluation_id": evaluation_id, "silent_since": silent_since, "limit": limit + 1}
    if cursor:
        values["after"], values["after_id"] = read_cursor(cursor, tuple[datetime, str])
        conditions.append("(r.started_at, r.id) > (:after, :after_id)")
    rows = db.execute(
        f"""
        SELECT r.id AS registration_id, a.id AS candidate_agent_id, a.name AS candidate_name,
            a.description AS candidate_description, r.evaluation_version, r.started_at
        FROM evaluation_registrations r JOIN agents a ON a.id = r.agent_id
            LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
        WHERE {" AND ".join(conditions)} ORDER BY r.started_at, r.id LIMIT :limit
        """,
        values,
    )
    return page(many(Waiting, rows), limit, lambda row: (row.started_at, row.registration_id))


def passed(db: Connection, agent_id: str, evaluation_ids: list[str]) -> set[str]:
    """Which of these evaluations the agent has passed."""
    if not evaluation_ids:
        return set()
    places = ", ".join("?" for _ in evaluation_ids)
    rows = db.execute(
        f"SELECT DISTINCT evaluation_id FROM evaluation_results WHERE agent_id = ? AND passed AND evaluation_id IN ({places})",
        [agent_id, *evaluation_ids],
    ).fetchall()
    return {evaluation_id for (evaluation_id,) in rows}
