"""Registrations in the database."""

from datetime import datetime

from viva.exams.model import Registration, Waiting
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many

COLUMNS = ", ".join(Registration.__struct_fields__)


class NoSuchRegistration(NotFound):
    """There is no registration with this id in this evaluation."""


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


def close(db: Connection, registration_id: str, status: str) -> Registration | None:
    """End an open registration as completed, failed, cancelled or expired; None where it had ended before."""
    return find(
        Registration,
        db.execute(
            f"""
            UPDATE evaluation_registrations SET status = ?, completed_at = ?
            WHERE id = ? AND status IN ('registered', 'in_progress') RETURNING {COLUMNS}
            """,
            [status, now(), registration_id],
        ),
    )


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
