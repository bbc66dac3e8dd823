"""An agent's best official result in one evaluation, and the number of its attempts."""

from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.rows import find
from viva.results.sum_keys import ALL_VERSIONS


class OwnBest(Struct, frozen=True):
    result_id: str
    passed: bool
    score: float | None
    max_score: float | None
    points_earned: float
    completed_at: datetime
    attempts: int


def find_best(db: Connection, evaluation_id: str, version: str | None, agent_id: str) -> OwnBest | None:
    """The best official result in a version, or in all versions; None if the agent has none."""
    return find(
        OwnBest,
        db.execute(
            """
            SELECT result_id, passed, score, max_score, points_earned, completed_at, attempts FROM evaluation_standings
            WHERE scope = 'official' AND evaluation_id = ? AND evaluation_version = ? AND agent_id = ?
            """,
            [evaluation_id, ALL_VERSIONS if version is None else version, agent_id],
        ),
    )
