"""Pass rates of several runs, with their uncertainty, and how much of a difference between two agents is chance."""

from collections.abc import Sequence
from typing import NamedTuple

from viva.results.intervals import Interval, fisher_p, wilson_interval
from viva.sittings.model import SittingOutcome

CLEAR_P = 0.05


class RunsPassRate(NamedTuple):
    """Of the runs with a verdict. Without one there is no interval."""

    passed: int
    decided: int
    interval: Interval | None

    @property
    def sentence(self) -> str:
        if self.interval is None:
            return "No run has a verdict."
        low, high = (round(100 * end) for end in self.interval)
        return f"Passed {self.passed} of {self.decided}; the true rate is between {low} % and {high} % (95 % interval)."


def rate_of(outcomes: Sequence[SittingOutcome]) -> RunsPassRate:
    """A run that the agent left counts as not passed. An undecided one says nothing about the agent."""
    decided = [each for each in outcomes if each.state not in ("undecided", "waiting")]
    passed = sum(each.state == "passed" for each in decided)
    return RunsPassRate(passed, len(decided), wilson_interval(passed, len(decided)) if decided else None)


class PassRateDifference(NamedTuple):
    """The p-value: how often two equal agents would differ at least this much."""

    points: float  # percentage points, the first agent above the second
    p: float

    @property
    def sentence(self) -> str:
        chance = f"Two equal agents would differ at least this much in {100 * self.p:.0f} of 100 such comparisons"
        clear = "so the difference is hardly chance" if self.p < CLEAR_P else "so it may well be chance"
        return f"They differ by {abs(self.points):.0f} percentage points. {chance}, {clear}."


def difference_of(one: RunsPassRate, two: RunsPassRate) -> PassRateDifference | None:
    if not one.decided or not two.decided:
        return None
    points = 100 * (one.passed / one.decided - two.passed / two.decided)
    return PassRateDifference(points, fisher_p(one.passed, one.decided, two.passed, two.decided))
