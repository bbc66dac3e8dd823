"""Marks of owners in the database: whether a detection or an issue of their trace is right."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find as find_row
from viva.kit.rows import many

NO_INDEX = -1  # of a place without an interaction or a step; NULL would not be unique
AT_PLACE = "trace_id = ? AND kind = ? AND turn_index = ? AND interaction_index = ? AND step_index = ?"
PLACE = "kind, turn_index, interaction_index, step_index"


class DetectionPlace(Struct, frozen=True):
    """What was found and where: a kind such as `rdm` or `UNAUTHORIZED_TOOL`, and its place in the run."""

    kind: str
    turn_index: int
    interaction_index: int | None = None
    step_index: int | None = None

    @property
    def values(self) -> list[Any]:
        indexes = [NO_INDEX if index is None else index for index in (self.interaction_index, self.step_index)]
        return [self.kind, self.turn_index, *indexes]


class DetectionMark(Struct, frozen=True):
    """The owner's answer to "is this right?" about one detection or issue."""

    kind: str
    turn_index: int
    interaction_index: int | None
    step_index: int | None
    is_right: bool
    marked_at: datetime


class DetectionLabel(DetectionMark, frozen=True):
    """A mark with its trace, for an export."""

    trace_id: str
    name: str


class MarkTally(Struct, frozen=True):
    """How many marks of a kind there are, and how many say that it is right."""

    kind: str
    marked: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.marked


MARK_COLUMNS = f"""
    kind, turn_index, nullif(interaction_index, {NO_INDEX}) AS interaction_index,
    nullif(step_index, {NO_INDEX}) AS step_index, is_right, marked_at
"""


def put(db: Connection, trace_id: str, place: DetectionPlace, is_right: bool) -> None:
    """Set the mark of a place. A second one replaces the first."""
    db.execute(
        f"""
        INSERT INTO trace_marks (trace_id, {PLACE}, is_right, marked_at) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (trace_id, {PLACE}) DO UPDATE SET is_right = excluded.is_right, marked_at = excluded.marked_at
        """,
        [trace_id, *place.values, is_right, now()],
    )


def remove(db: Connection, trace_id: str, place: DetectionPlace) -> None:
    db.execute(f"DELETE FROM trace_marks WHERE {AT_PLACE}", [trace_id, *place.values])


def find(db: Connection, trace_id: str, place: DetectionPlace) -> DetectionMark | None:
    sql = f"SELECT {MARK_COLUMNS} FROM trace_marks WHERE {AT_PLACE}"
    return find_row(DetectionMark, db.execute(sql, [trace_id, *place.values]))


def list_of_trace(db: Connection, trace_id: str) -> list[DetectionMark]:
    """All marks of a trace. There are no more than detections and issues of its analyses."""
    sql = f"SELECT {MARK_COLUMNS} FROM trace_marks WHERE trace_id = ? ORDER BY turn_index, kind"
    return many(DetectionMark, db.execute(sql, [trace_id]))


def list_of_dataset(
    db: Connection, owner_id: str, dataset: str, limit: int, cursor: str | None
) -> Page[DetectionLabel]:
    """The marks of a dataset, by trace and place."""
    values: dict[str, Any] = {"owner": owner_id, "dataset": dataset, "limit": limit + 1}
    after = "TRUE"
    if cursor:
        key = read_cursor(cursor, tuple[str, str, int, int, int])
        values |= dict(zip(("trace_id", "kind", "turn", "interaction", "step"), key, strict=True))
        after = f"(m.trace_id, {PLACE}) > (:trace_id, :kind, :turn, :interaction, :step)"
    rows = db.execute(
        f"""
        SELECT {MARK_COLUMNS}, trace_id, name FROM trace_marks m JOIN traces t ON t.id = m.trace_id
        WHERE t.owner_id = :owner AND t.dataset = :dataset AND {after}
        ORDER BY m.trace_id, {PLACE} LIMIT :limit
        """,
        values,
    )
    return page(many(DetectionLabel, rows), limit, lambda label: (label.trace_id, *place_of(label).values))


def place_of(mark: DetectionMark) -> DetectionPlace:
    return DetectionPlace(mark.kind, mark.turn_index, mark.interaction_index, mark.step_index)


def tally_of_dataset(db: Connection, owner_id: str, dataset: str) -> list[MarkTally]:
    """The marks of a dataset counted by kind, from which the precision of each kind follows."""
    rows = db.execute(
        """
        SELECT m.kind AS kind, count(*) AS marked, sum(CASE WHEN m.is_right THEN 1 ELSE 0 END) AS "right"
        FROM trace_marks m JOIN traces t ON t.id = m.trace_id
        WHERE t.owner_id = ? AND t.dataset = ? GROUP BY m.kind ORDER BY count(*) DESC, m.kind LIMIT 100
        """,
        [owner_id, dataset],
    )
    return many(MarkTally, rows)
