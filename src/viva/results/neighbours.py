"""The attempts next to a result in the order of scores."""

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many
from viva.results.model import NamedResult
from viva.results.official import COUNTED, Scope


class AttemptLine(Struct, frozen=True):
    """One line of a list of attempts."""

    id: str
    agent_name: str
    passed: bool
    score: float | None
    max_score: float | None
    evaluation_version: str
    completed_at: datetime
    official: bool
    voided_at: datetime | None


class NeighbourSide(NamedTuple):
    """The side of a result to search, and the order in which its nearest come first."""

    comparison: str
    order: str


BETTER, WORSE = NeighbourSide(">", "ASC"), NeighbourSide("<", "DESC")
NEIGHBOUR_KEY = ("score_key", "completed_at", "id")  # a missing score is lowest; of equal scores the latest comes first


def list_neighbours(db: Connection, result: NamedResult, limit: int, *, of_version: bool = False) -> list[AttemptLine]:
    """At most `limit` attempts of the evaluation, or of the result's version, the best first.

    The result is among them, as near to the middle as possible."""
    condition = f"AND {COUNTED[scope_around(result)]}"
    condition += " AND r.evaluation_version = :version" if of_version else ""
    better = list_nearest(db, result, BETTER, limit, condition)[::-1]
    nearest = [*better, attempt_line(result), *list_nearest(db, result, WORSE, limit, condition)]
    first = max(0, min(len(better) - (limit - 1) // 2, len(nearest) - limit))
    return nearest[first : first + limit]


def scope_around(result: NamedResult) -> Scope:
    """Which results stand beside this one: official ones beside an official one."""
    return "official" if result.official else "any"


def attempt_line(result: NamedResult) -> AttemptLine:
    return AttemptLine(**{name: getattr(result, name) for name in AttemptLine.__struct_fields__})


def list_nearest(
    db: Connection, result: NamedResult, side: NeighbourSide, limit: int, condition: str
) -> list[AttemptLine]:
    return many(
        AttemptLine,
        db.execute(
            f"""
            SELECT r.id, {name_of("a")} AS agent_name, r.passed, r.score, r.max_score,
                r.evaluation_version, r.completed_at, r.official, r.voided_at
            FROM evaluation_results r JOIN agents a ON a.id = r.agent_id
            WHERE NOT r.is_private AND r.evaluation_id = :evaluation_id {condition}
                AND ({", ".join(f"r.{name}" for name in NEIGHBOUR_KEY)}) {side.comparison} (:score_key, :completed_at, :id)
            ORDER BY {", ".join(f"r.{name} {side.order}" for name in NEIGHBOUR_KEY)} LIMIT :limit
            """,
            sort_values(result)
            | {"limit": limit}
            | ({"version": result.evaluation_version} if ":version" in condition else {}),
        ),
    )


def sort_values(result: NamedResult) -> dict[str, Any]:
    return {
        "evaluation_id": result.evaluation_id,
        "score_key": -1 if result.score is None else result.score,
        "completed_at": result.completed_at,
        "id": result.id,
    }
