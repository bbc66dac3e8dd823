"""The results of the whole hub: the newest ones, and how many there are."""

from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many
from viva.results.sum_keys import ALL_VERSIONS


class NewResult(Struct, frozen=True):
    """A result without its data, which may be large."""

    id: str
    agent_name: str
    evaluation_id: str
    evaluation_name: str
    passed: bool
    score: float | None
    max_score: float | None
    completed_at: datetime


def list_newest(db: Connection, limit: int) -> list[NewResult]:
    """The newest official results."""
    rows = db.execute(
        f"""
        SELECT r.id, {name_of("a")} AS agent_name, r.evaluation_id,
            coalesce(e.title, e.name) AS evaluation_name, r.passed, r.score, r.max_score, r.completed_at
        FROM evaluation_results r JOIN agents a ON a.id = r.agent_id
            JOIN evaluation_definitions e ON e.id = r.evaluation_id
        WHERE NOT r.is_private AND r.official AND e.status <> 'draft' ORDER BY r.completed_at DESC, r.id DESC LIMIT ?
        """,
        [limit],
    )
    return many(NewResult, rows)


def count(db: Connection) -> int:
    """How many results there are, from the stored sums."""
    (number,) = db.execute(
        f"""
        SELECT coalesce(sum(attempts), 0) FROM evaluation_tallies
        WHERE scope = 'official' AND evaluation_version = '{ALL_VERSIONS}'
        """
    ).fetchone()
    return int(number)
