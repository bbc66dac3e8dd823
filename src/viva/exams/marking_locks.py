"""Locks of markers in the database: who has which sheet or second reading, and until when.

Callers hold the row of the sheet or the reading, so that two markers cannot take its last place."""

from datetime import datetime, timedelta

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict
from viva.kit.rows import find

LOCK_MINUTES = 60  # long enough to mark a class; a marker who forgets blocks the others no longer than this
LOCK_COLUMNS = "subject_id, marker_agent_id, taken_at, ends_at"


class NotTaken(Conflict):
    """Take this first: what has to be marked is shown only to the marker who has taken it."""


class TakenByOthers(Conflict):
    """Another marker has taken this. It is free again when that marker gives it back, or after an hour of silence."""


class MarkingLock(Struct, frozen=True):
    """One marker's hold on a sheet or on a second reading."""

    subject_id: str
    marker_agent_id: str
    taken_at: datetime
    ends_at: datetime


def take(db: Connection, subject_id: str, marker_id: str, places: int) -> MarkingLock:
    """Take one of the places, or keep the one that the marker has. What is over gives way."""
    moment = now()
    others = count_others(db, subject_id, marker_id, moment)
    if others >= places:
        raise TakenByOthers()

    db.execute("DELETE FROM marking_locks WHERE subject_id = ? AND ends_at <= ?", [subject_id, moment])
    db.execute(
        f"""
        INSERT INTO marking_locks ({LOCK_COLUMNS}) VALUES (:subject_id, :marker_id, :moment, :ends_at)
        ON CONFLICT (subject_id, marker_agent_id) DO UPDATE SET ends_at = excluded.ends_at
        """,
        {
            "subject_id": subject_id,
            "marker_id": marker_id,
            "moment": moment,
            "ends_at": moment + timedelta(minutes=LOCK_MINUTES),
        },
    )
    return get(db, subject_id, marker_id)


def renew(db: Connection, subject_id: str, marker_id: str, places: int) -> MarkingLock:
    """Keep the marker's place from now on; an error if the marker has none."""
    get(db, subject_id, marker_id)
    return take(db, subject_id, marker_id, places)


def count_others(db: Connection, subject_id: str, marker_id: str, moment: datetime) -> int:
    (others,) = db.execute(
        "SELECT count(*) FROM marking_locks WHERE subject_id = ? AND marker_agent_id <> ? AND ends_at > ?",
        [subject_id, marker_id, moment],
    ).fetchone()
    return int(others)


def get(db: Connection, subject_id: str, marker_id: str) -> MarkingLock:
    """The marker's lock, even if its time is over, as long as nobody else needed the place."""
    lock = find(
        MarkingLock,
        db.execute(
            f"SELECT {LOCK_COLUMNS} FROM marking_locks WHERE subject_id = ? AND marker_agent_id = ?",
            [subject_id, marker_id],
        ),
    )
    if lock is None:
        raise NotTaken()
    return lock


def get_live(db: Connection, subject_id: str, marker_id: str) -> MarkingLock:
    """The marker's lock, if its time is not over."""
    lock = get(db, subject_id, marker_id)
    if lock.ends_at <= now():
        raise NotTaken()
    return lock


def drop(db: Connection, subject_id: str, marker_id: str) -> bool:
    """Give the place back. Returns whether the marker had it."""
    return (
        db.execute(
            "DELETE FROM marking_locks WHERE subject_id = ? AND marker_agent_id = ?", [subject_id, marker_id]
        ).rowcount
        == 1
    )


def drop_all_of(db: Connection, marker_id: str) -> None:
    """Give back whatever the marker has, because its account is deleted."""
    db.execute("DELETE FROM marking_locks WHERE marker_agent_id = ?", [marker_id])


def drop_all_on(db: Connection, subject_id: str) -> None:
    """Forget all locks on what is marked now."""
    db.execute("DELETE FROM marking_locks WHERE subject_id = ?", [subject_id])
