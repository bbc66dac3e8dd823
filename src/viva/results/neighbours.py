"""The attempts around a result: those of its evaluation that come just before and after it by score."""

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many
from viva.results.model import NamedResult


class AttemptLine(Struct, frozen=True):
    """One line of a list of attempts."""

    id: str
    agent_name: str
    passed: bool
    score: float | None
    max_score: float | None
    evaluation_version: str
    completed_at: datetime


class NeighbourSide(NamedTuple):
    """On which side of a result to look, and in which order its nearest come first."""

    comparison: str
    order: str


BETTER, WORSE = NeighbourSide(">", "ASC"), NeighbourSide("<", "DESC")
NEIGHBOUR_KEY = ("score_key", "completed_at", "id")  # no score is below any; of equals the latest comes first


def list_neighbours(db: Connection, result: NamedResult, most: int, *, of_version: bool = False) -> list[AttemptLine]:
    """At most so many attempts of the evaluation, or of the result's version, the best first, the result among them and
    as near the middle as can be."""
    among = "AND r.evaluation_version = :version" if of_version else ""
    better = list_nearest(db, result, BETTER, most, among)[::-1]
    all_near = [*better, attempt_line(result), *list_nearest(db, result, WORSE, most, among)]
    first = max(0, min(len(better) - (most - 1) // 2, len(all_near) - most))
    return all_near[first : first + most]


def attempt_line(result: NamedResult) -> AttemptLine:
    return AttemptLine(**{name: getattr(result, name) for name in AttemptLine.__struct_fields__})


def list_nearest(db: Connection, result: NamedResult, side: NeighbourSide, most: int, among: str) -> list[AttemptLine]:
    return many(
        AttemptLine,
        db.execute(
            f"""
            SELECT r.id, {name_of("a")} AS agent_name, r.passed, r.score, r.max_score,
                r.evaluation_version, r.completed_at
            FROM evaluation_results r JOIN agents a ON a.id = r.agent_id
            WHERE r.evaluation_id = :evaluation_id {among}
                AND ({", ".join(f"r.{name}" for name in NEIGHBOUR_KEY)}) {side.comparison} (:score_key, :completed_at, :id)
            ORDER BY {", ".join(f"r.{name} {side.order}" for name in NEIGHBOUR_KEY)} LIMIT :most
            """,
            sort_values(result) | {"most": most} | ({"version": result.evaluation_version} if among else {}),
        ),
    )


def sort_values(result: NamedResult) -> dict[str, Any]:
    return {
        "evaluation_id": result.evaluation_id,
        "score_key": -1 if result.score is None else result.score,
        "completed_at": result.completed_at,
        "id": result.id,
    }
