"""Tallies of many evaluations at once, and pass rates."""

from collections.abc import Sequence

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results.intervals import wilson_interval
from viva.results.model import Tally
from viva.results.sum_keys import ALL_VERSIONS


class PassRate(Struct, frozen=True):
    """The share of attempts that were passed, with its 95 % Wilson interval; all three from 0 to 1."""

    passed: int
    attempts: int
    share: float
    low: float
    high: float


class EvaluationTally(Tally, frozen=True):
    evaluation_id: str


def pass_rate(tally: Tally) -> PassRate | None:
    """The pass rate; None while there are no attempts."""
    if tally.attempts == 0:
        return None
    return PassRate(
        tally.passed, tally.attempts, tally.passed / tally.attempts, *wilson_interval(tally.passed, tally.attempts)
    )


def tallies(db: Connection, evaluation_ids: Sequence[str]) -> dict[str, Tally]:
    """The tally of each of these evaluations that has results."""
    if not evaluation_ids:
        return {}
    rows = db.execute(
        f"""
        SELECT attempts, agents, passed, evaluation_id FROM evaluation_tallies
        WHERE scope = 'official' AND evaluation_version = ? AND evaluation_id IN ({", ".join("?" for _ in evaluation_ids)})
        """,
        [ALL_VERSIONS, *evaluation_ids],
    )
    return {tally.evaluation_id: tally for tally in many(EvaluationTally, rows)}
