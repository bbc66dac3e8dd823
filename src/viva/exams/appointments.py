"""Appointed proctors in the database: for one evaluation, or for the whole hub."""

from datetime import datetime

from msgspec import Struct

from viva.exams import key_readers
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.errors import NotFound
from viva.kit.rows import many

MAX_APPOINTMENTS_LISTED = 1_000


class NotAppointed(NotFound):
    """This agent is not appointed as a proctor here."""


class Appointment(Struct, frozen=True):
    """`evaluation_id` is None for the whole hub, `appointed_by` for a command."""

    agent_id: str
    agent_name: str
    evaluation_id: str | None
    appointed_by: str | None
    appointed_at: datetime


def appoint(db: Connection, agent_id: str, evaluation_id: str | None, by: str | None) -> bool:
    """Appoint the agent; False if it is appointed already."""
    added = db.execute(
        """
        INSERT INTO proctor_appointments (agent_id, evaluation_id, appointed_by, appointed_at) VALUES (?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
        [agent_id, evaluation_id, by, now()],
    ).rowcount
    if added:
        events.record(db, "proctor.appointed", "agent", agent_id, evaluation_id=evaluation_id)
    return bool(added)


def dismiss(db: Connection, agent_id: str, evaluation_id: str | None) -> None:
    """Take back one appointment. Results that were official stay so."""
    dropped = db.execute(
        "DELETE FROM proctor_appointments WHERE agent_id = ? AND coalesce(evaluation_id, '') = ?",
        [agent_id, evaluation_id or ""],
    ).rowcount
    if not dropped:
        raise NotAppointed()
    key_readers.record_right(db, agent_id, evaluation_id)
    events.record(db, "proctor.dismissed", "agent", agent_id, evaluation_id=evaluation_id)


def dismiss_everywhere(db: Connection, agent_id: str) -> None:
    """Take back all appointments of an account that is deleted."""
    for (evaluation_id,) in db.execute(
        "SELECT evaluation_id FROM proctor_appointments WHERE agent_id = ?", [agent_id]
    ).fetchall():
        dismiss(db, agent_id, evaluation_id)


def is_appointed(db: Connection, agent_id: str, evaluation_id: str) -> bool:
    """Whether the agent is appointed for this evaluation or for the whole hub."""
    row = db.execute(
        "SELECT 1 FROM proctor_appointments WHERE agent_id = ? AND (evaluation_id IS NULL OR evaluation_id = ?) LIMIT 1",
        [agent_id, evaluation_id],
    ).fetchone()
    return row is not None


def list_appointments(db: Connection) -> list[Appointment]:
    """The newest appointments."""
    rows = db.execute(
        f"""
        SELECT p.agent_id, {name_of("a")} AS agent_name, p.evaluation_id, p.appointed_by, p.appointed_at
        FROM proctor_appointments p JOIN agents a ON a.id = p.agent_id
        ORDER BY p.appointed_at DESC, p.agent_id LIMIT ?
        """,
        [MAX_APPOINTMENTS_LISTED],
    )
    return many(Appointment, rows)
