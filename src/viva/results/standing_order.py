"""The order of results from worse to better, for an agent's best result and for the leaderboard."""

from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import NamedTuple

from viva.results.model import Result

NO_SHARE = -1.0  # stands for no score, below every share
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class StandingOrder(NamedTuple):
    """A place on the leaderboard: a higher share is first (no score is last), then passed, then more points, then the newer.

    Results with the same first three parts share a rank. Every part counts upwards, so that one row comparison, one
    index and one cursor are enough. The id only makes the order of equal results definite."""

    share: float
    passed: bool
    points_earned: float
    recency: int  # microseconds from 1970 to the verdict
    result_id: str


STANDING_COLUMNS = StandingOrder._fields
# The columns that decide which of an agent's own results stands for it. Of equal ones the first stays, so that
# repeating an exam with an equal score does not move the agent up.
BETTER_COLUMNS = ("share", "passed", "points_earned", "-recency", "result_id")


def standing_order_of(result: Result) -> StandingOrder:
    share = share_of(result.score, result.max_score)
    return StandingOrder(
        share=NO_SHARE if share is None else share,
        passed=result.passed,
        points_earned=float(result.points_earned),
        recency=(result.completed_at - EPOCH) // timedelta(microseconds=1),
        result_id=result.id,
    )


def better_order_of(result: Result) -> tuple[float, bool, float, int, str]:
    """The values of `BETTER_COLUMNS`."""
    place = standing_order_of(result)
    return place.share, place.passed, place.points_earned, -place.recency, place.result_id


def share_of(score: float | None, max_score: float | None) -> float | None:
    """The score as a share of the maximum, from 0 to 1; None without a score or with a maximum of 0."""
    if score is None or not max_score:
        return None
    share = score / max_score
    return share if isfinite(share) else None
