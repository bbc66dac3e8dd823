"""Second readings in the database: decided results that further markers read without knowing the verdict."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

import msgspec
from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.deleted import name_of
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.rows import find, many, one
from viva.results.model import Result

ReadingCause = Literal["draw", "appeal"]
ReadingStatus = Literal["open", "stands", "changed", "ended"]


class NoSuchReading(NotFound):
    """There is no second reading with this id that you may take."""


class ReadAlready(Conflict):
    """You have already read this."""


class FirstVerdict(Struct, frozen=True):
    """What the result said when the second reading opened."""

    passed: bool
    score: float | None
    max_score: float | None
    points_earned: float
    result_data: dict[str, Any] | None
    proctor_agent_id: str | None
    proctor_feedback: str | None


class SecondReading(Struct, frozen=True):
    """`open` until enough markers have read; then the first verdict `stands`, or the result has `changed`.

    It is `ended` without a decision if the result was voided or its agent was deleted."""

    id: str
    result_id: str
    evaluation_id: str
    cause: ReadingCause
    status: ReadingStatus
    opened_at: datetime
    closed_at: datetime | None
    first: dict[str, Any]

    @property
    def first_verdict(self) -> FirstVerdict:
        return msgspec.convert(self.first, FirstVerdict)


class BlindVerdict(Struct, frozen=True):
    """What a marker decided without knowing the verdict. Place 2 is the second reading, place 3 decides."""

    second_reading_id: str
    place: int
    marker_agent_id: str
    passed: bool
    score: float | None
    max_score: float | None
    result_data: dict[str, Any] | None
    feedback: str | None
    given_at: datetime


class NamedVerdict(Struct, frozen=True):
    """A blind verdict as it is shown once the reading is closed."""

    place: int
    marker_name: str
    passed: bool
    score: float | None
    max_score: float | None
    feedback: str | None
    given_at: datetime


READING_COLUMNS = ", ".join(SecondReading.__struct_fields__)
VERDICT_COLUMNS = ", ".join(BlindVerdict.__struct_fields__)


def open_reading(db: Connection, result: Result, cause: ReadingCause, parties: Iterable[str]) -> SecondReading | None:
    """Open a second reading that `parties` may not take; None if the result has an open one."""
    first = FirstVerdict(*(getattr(result, name) for name in FirstVerdict.__struct_fields__))
    reading = find(
        SecondReading,
        db.execute(
            f"""
            INSERT INTO second_readings (id, result_id, evaluation_id, cause, status, opened_at, first_passed,
                first_score, first_max_score, first_marker_id, first)
            VALUES (?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING RETURNING {READING_COLUMNS}
            """,
            [
                new_id("eval_reading"),
                result.id,
                result.evaluation_id,
                cause,
                now(),
                result.passed,
                result.score,
                result.max_score,
                result.proctor_agent_id,
                msgspec.json.encode(first).decode(),
            ],
        ),
    )
    if reading is None:
        return None
    for agent_id in sorted(set(parties)):
        db.execute("INSERT INTO reading_parties (second_reading_id, agent_id) VALUES (?, ?)", [reading.id, agent_id])
    set_state(db, result.id, "open")
    return reading


def set_state(db: Connection, result_id: str, status: ReadingStatus) -> None:
    """Let the result say how far its second reading is."""
    db.execute("UPDATE evaluation_results SET second_reading = ? WHERE id = ?", [status, result_id])


def get(db: Connection, reading_id: str) -> SecondReading:
    rows = db.execute(f"SELECT {READING_COLUMNS} FROM second_readings WHERE id = ?", [reading_id])
    return one(SecondReading, rows, NoSuchReading)


def hold(db: Connection, reading_id: str) -> SecondReading:
    """The reading, locked until commit, so that its markers wait for each other."""
    rows = db.execute(
        f"UPDATE second_readings SET status = status WHERE id = ? RETURNING {READING_COLUMNS}", [reading_id]
    )
    return one(SecondReading, rows, NoSuchReading)


def list_of(db: Connection, result_id: str) -> list[SecondReading]:
    """The readings of a result, oldest first: one by draw and one by appeal at most."""
    rows = db.execute(f"SELECT {READING_COLUMNS} FROM second_readings WHERE result_id = ? ORDER BY id", [result_id])
    return many(SecondReading, rows)


def list_open_of_agent(db: Connection, agent_id: str) -> list[SecondReading]:
    """Open readings of the agent's results."""
    rows = db.execute(
        f"""
        SELECT {", ".join(f"s.{name}" for name in SecondReading.__struct_fields__)} FROM second_readings s
            JOIN evaluation_results r ON r.id = s.result_id
        WHERE s.status = 'open' AND r.agent_id = ? ORDER BY s.id
        """,
        [agent_id],
    )
    return many(SecondReading, rows)


def list_open_of_void(db: Connection, limit: int) -> list[SecondReading]:
    """Open readings of results that were voided meanwhile."""
    rows = db.execute(
        f"""
        SELECT {", ".join(f"s.{name}" for name in SecondReading.__struct_fields__)} FROM second_readings s
            JOIN evaluation_results r ON r.id = s.result_id
        WHERE s.status = 'open' AND r.voided_at IS NOT NULL ORDER BY s.opened_at, s.id LIMIT ?
        """,
        [limit],
    )
    return many(SecondReading, rows)


def change_first(db: Connection, reading_id: str, feedback: str | None, data: dict[str, Any] | None) -> None:
    """Write the words of the first verdict otherwise, after a maintainer hid them or shows them again."""
    first = get(db, reading_id).first | {"proctor_feedback": feedback, "result_data": data}
    db.execute("UPDATE second_readings SET first = ? WHERE id = ?", [msgspec.json.encode(first).decode(), reading_id])


def close(db: Connection, reading: SecondReading, status: ReadingStatus) -> None:
    db.execute(
        "UPDATE second_readings SET status = ?, closed_at = ? WHERE id = ? AND status = 'open'",
        [status, now(), reading.id],
    )
    set_state(db, reading.result_id, status)


def is_party(db: Connection, reading_id: str, agent_id: str) -> bool:
    row = db.execute(
        "SELECT 1 FROM reading_parties WHERE second_reading_id = ? AND agent_id = ?", [reading_id, agent_id]
    ).fetchone()
    return row is not None


def add_verdict(db: Connection, verdict: BlindVerdict) -> None:
    values = msgspec.structs.asdict(verdict)
    values["result_data"] = None if verdict.result_data is None else msgspec.json.encode(verdict.result_data).decode()
    names = ", ".join(f":{name}" for name in values)
    with refusing({"blind_verdicts_second_reading_id_marker_agent_id_key": ReadAlready}):
        db.execute(f"INSERT INTO blind_verdicts ({VERDICT_COLUMNS}) VALUES ({names})", values)


def list_verdicts(db: Connection, reading_id: str) -> list[BlindVerdict]:
    """The second verdict, and the third if there is one."""
    rows = db.execute(
        f"SELECT {VERDICT_COLUMNS} FROM blind_verdicts WHERE second_reading_id = ? ORDER BY place", [reading_id]
    )
    return many(BlindVerdict, rows)


def list_named_verdicts(db: Connection, reading_id: str) -> list[NamedVerdict]:
    rows = db.execute(
        f"""
        SELECT v.place, {name_of("a")} AS marker_name, v.passed, v.score, v.max_score, v.feedback, v.given_at
        FROM blind_verdicts v JOIN agents a ON a.id = v.marker_agent_id
        WHERE v.second_reading_id = ? ORDER BY v.place
        """,
        [reading_id],
    )
    return many(NamedVerdict, rows)
