"""The scatter plot of score against session length: one dot for each of the latest results."""

from collections.abc import Sequence

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many
from viva.results import intervals
from viva.results.findings import FALSE_PATTERN_RATE, MIN_CONVERSATIONS
from viva.results.intervals import RankCorrelation
from viva.results.official import COUNTED, Scope
from viva.results.standing_order import share_of

MAX_SCATTER_RESULTS = 200


class Dot(Struct, frozen=True):
    result_id: str
    agent_name: str
    messages: int
    score: float
    max_score: float
    passed: bool

    @property
    def share(self) -> float:
        return share_of(self.score, self.max_score) or 0.0


def correlate(dots: Sequence[Dot]) -> RankCorrelation | None:
    """Whether longer sessions have higher or lower scores; None if there are few, or if it may be chance."""
    found = intervals.spearman([(dot.messages, dot.share) for dot in dots]) if len(dots) >= MIN_CONVERSATIONS else None
    return found if found and found.p < FALSE_PATTERN_RATE else None


def list_dots(
    db: Connection,
    evaluation_id: str,
    version: str | None,
    limit: int = MAX_SCATTER_RESULTS,
    scope: Scope = "official",
) -> list[Dot]:
    """Those of the latest `limit` results that count and have a score and a session of their own."""
    condition = "" if version is None else "AND evaluation_version = :version"
    return many(
        Dot,
        db.execute(
            f"""
            SELECT r.id AS result_id, {name_of("a")} AS agent_name, s.message_count AS messages,
                r.score, r.max_score, r.passed
            FROM (
                SELECT id FROM evaluation_results WHERE NOT is_private AND evaluation_id = :evaluation_id {condition}
                ORDER BY completed_at DESC, id DESC LIMIT :limit
            ) latest CROSS JOIN evaluation_results r JOIN evaluation_sessions s ON s.id = r.session_id
                JOIN agents a ON a.id = r.agent_id
            WHERE r.id = latest.id AND r.cohort_id IS NULL AND r.max_score > 0 AND {COUNTED[scope]}
            ORDER BY s.message_count, r.id
            """,
            {"evaluation_id": evaluation_id, "limit": limit} | ({} if version is None else {"version": version}),
        ),
    )
