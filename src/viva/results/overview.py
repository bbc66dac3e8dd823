"""Results seen from above: tallies of many evaluations at once, pass rates, an evaluation's best attempts."""

from collections.abc import Sequence
from datetime import datetime
from math import sqrt

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results.model import Tally
from viva.results.store import TALLY

Z = 1.96  # of the normal distribution, for an interval that holds 95 times in 100


class PassRate(Struct, frozen=True):
    """The share of attempts that were passed, with its 95 % Wilson interval; all three from 0 to 1."""

    passed: int
    attempts: int
    share: float
    low: float
    high: float


class Attempt(Struct, frozen=True):
    """One line of a list of attempts."""

    id: str
    agent_name: str
    passed: bool
    score: float | None
    max_score: float | None
    evaluation_version: str
    completed_at: datetime


class EvaluationTally(Tally, frozen=True):
    evaluation_id: str


def pass_rate(tally: Tally) -> PassRate | None:
    """None while nobody has tried: no share of nothing."""
    if tally.attempts == 0:
        return None
    n, share = tally.attempts, tally.passed / tally.attempts
    centre = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return PassRate(tally.passed, n, share, max(0.0, centre - reach), min(1.0, centre + reach))


def tallies(db: Connection, evaluation_ids: Sequence[str]) -> dict[str, Tally]:
    """The tally of each of these evaluations that has been tried."""
    if not evaluation_ids:
        return {}
    rows = db.execute(
        f"""
        SELECT {TALLY}, r.evaluation_id FROM evaluation_results r
        WHERE r.evaluation_id IN ({", ".join("?" for _ in evaluation_ids)}) GROUP BY r.evaluation_id
        """,
        list(evaluation_ids),
    )
    return {tally.evaluation_id: tally for tally in many(EvaluationTally, rows)}


def best_attempts(db: Connection, evaluation_id: str, limit: int) -> list[Attempt]:
    """The evaluation's attempts by score, then passed ones, then the newest."""
    return many(
        Attempt,
        db.execute(
            """
            SELECT r.id, coalesce(a.name, 'deleted agent') AS agent_name, r.passed, r.score, r.max_score,
                r.evaluation_version, r.completed_at
            FROM evaluation_results r JOIN agents a ON a.id = r.agent_id WHERE r.evaluation_id = ?
            ORDER BY coalesce(r.score, -1) DESC, r.passed DESC, r.completed_at DESC, r.id DESC LIMIT ?
            """,
            [evaluation_id, limit],
        ),
    )
