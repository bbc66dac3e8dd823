"""Checks how attempts ended, against the log and their results: what was withdrawn, and what used a try."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from viva.checking.model import HubCheck
from viva.exams.evidence import read_of
from viva.exams.store import RECORDED_END, STATUSES_WITHOUT_RESULT
from viva.kit.db import Connection
from viva.kit.event_chain import CLOCK_DIFFERENCE
from viva.kit.rows import moment
from viva.results.discrepancy import Discrepancy

MAX_FOUND = 100  # that are named for one reason
END_ACTIONS = ("attempt.ended", "result.kept")

EndedAttempts = dict[str, dict[str, Any]]


class RecordedEnd(NamedTuple):
    registration_id: str
    said: dict[str, Any]


def read_recorded_end(action: str, subject_id: str, data: str) -> RecordedEnd | None:
    """The id of the attempt and what the event says of its end; None if it says nothing."""
    said = msgspec.json.decode(data)
    if action == "attempt.ended":
        return RecordedEnd(subject_id, {name: said[name] for name in RECORDED_END})
    if "is_try" not in said:  # of an earlier release
        return None
    return RecordedEnd(said["registration_id"], {"is_try": said["is_try"]})


def read_ends(db: Connection, registration_ids: Collection[str]) -> EndedAttempts:
    columns = ", ".join(RECORDED_END)
    rows = read_of(db, f"SELECT id, {columns} FROM evaluation_registrations", "id", registration_ids)
    return {id_: dict(zip(RECORDED_END, map(plain, values), strict=True)) for id_, *values in rows}


def plain(value: Any) -> Any:
    """SQLite has numbers for what is true or false."""
    return bool(value) if isinstance(value, int) else value


def check_end(registration_id: str, said: dict[str, Any], ends: EndedAttempts) -> Iterator[Discrepancy]:
    found = ends.get(registration_id)
    if found is None:
        yield Discrepancy("attempt", registration_id, "The attempt is missing.")
        return
    for name, value in said.items():
        if found[name] != value:
            sentence = f"The {name} of the attempt is not as it was recorded."
            yield Discrepancy("attempt", registration_id, sentence, value, found[name])


def check_attempts(check: HubCheck) -> Iterator[Discrepancy]:
    for find in (find_unlike_results, find_unrecorded):
        yield from check.database.read_now(find)


def find_unlike_results(db: Connection) -> list[Discrepancy]:
    """A decided attempt has a result, and the status says what it decided."""
    rows = db.execute(
        """
        SELECT r.id, r.status, e.passed FROM evaluation_registrations r
            LEFT JOIN evaluation_results e ON e.registration_id = r.id
        WHERE CASE WHEN e.id IS NULL THEN r.status IN ('completed', 'failed')
            ELSE r.status <> CASE WHEN e.passed THEN 'completed' ELSE 'failed' END END
        ORDER BY r.id LIMIT ?
        """,
        [MAX_FOUND],
    ).fetchall()
    return [
        Discrepancy(
            "attempt",
            id_,
            "The attempt has no result." if passed is None else "The status of the attempt is not that of its result.",
            None if passed is None else "completed" if passed else "failed",
            status,
        )
        for id_, status, passed in rows
    ]


def find_unrecorded(db: Connection) -> list[Discrepancy]:
    """Attempts that ended without a result since the log has each such end, and of which it says nothing."""
    first = find_first(db)
    if first is None:
        return []
    statuses = ", ".join(f"'{status}'" for status in STATUSES_WITHOUT_RESULT)
    rows = db.execute(
        f"""
        SELECT id, status FROM evaluation_registrations WHERE status IN ({statuses}) AND completed_at > ?
            AND id NOT IN (SELECT subject_id FROM events WHERE action = 'attempt.ended') ORDER BY id LIMIT ?
        """,
        [first + CLOCK_DIFFERENCE, MAX_FOUND],
    ).fetchall()
    return [
        Discrepancy("attempt", id_, "The log does not say that the attempt ended.", None, status)
        for id_, status in rows
    ]


def find_first(db: Connection) -> datetime | None:
    """The moment of the first recorded end. Earlier releases recorded none, and old ones may have been deleted."""
    row = db.execute("SELECT at FROM events WHERE action = 'attempt.ended' ORDER BY id LIMIT 1").fetchone()
    return moment(row[0]) if row else None
