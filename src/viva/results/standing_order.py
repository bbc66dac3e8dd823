"""What makes one result better than another: one order, for an agent's best result and for the leaderboard."""

from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import NamedTuple

from viva.results.model import Result

NO_SHARE = -1.0  # stands for no score, below every share
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class StandingOrder(NamedTuple):
    """The higher share of the score (none comes last), then passed, then the more points, then the earlier attempt.

    The first three are what is compared: who is equal in them shares a rank, and stands first who was there first. Every
    part counts upwards, so that one comparison, one index and one cursor serve; the id only keeps equals in one order."""

    share: float
    passed: bool
    points_earned: float
    earliness: int
    result_id: str


STANDING_COLUMNS = StandingOrder._fields


def standing_order_of(result: Result) -> StandingOrder:
    share = share_of(result.score, result.max_score)
    return StandingOrder(
        share=NO_SHARE if share is None else share,
        passed=result.passed,
        points_earned=float(result.points_earned),
        earliness=(EPOCH - result.completed_at) // timedelta(microseconds=1),
        result_id=result.id,
    )


def share_of(score: float | None, max_score: float | None) -> float | None:
    """The score as a share of the most there was, from 0 to 1; None where there was no score, or nothing to get."""
    if score is None or not max_score:
        return None
    share = score / max_score
    return share if isfinite(share) else None
