"""Results seen from above."""

import pytest

from tests import make
from viva.results import overview
from viva.results.model import Tally


@pytest.mark.parametrize(
    ("attempts", "passed", "low", "high"),
    # The Wilson score interval without continuity correction, as published tables have it.
    [(10, 5, 0.2366, 0.7634), (10, 0, 0.0, 0.2775), (1, 1, 0.2065, 1.0), (100, 81, 0.7222, 0.8749)],
)
def test_a_pass_rate_has_its_wilson_interval(attempts, passed, low, high):
    rate = overview.pass_rate(Tally(attempts, attempts, passed))

    assert rate is not None
    assert rate.share == passed / attempts
    assert [rate.low, rate.high] == pytest.approx([low, high], abs=1e-4)


def test_nothing_tried_has_no_rate():
    assert overview.pass_rate(Tally(0, 0, 0)) is None


def test_tallies_are_of_each_evaluation(db):
    make.evaluation(db)
    make.evaluation(db, sip=8, id="sums")
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    make.result(db, ada, paul, passed=False)
    make.result(db, ada, paul, passed=True)

    tallies = overview.tallies(db, ["good-manners", "sums"])

    assert list(tallies) == ["good-manners"]
    assert (tallies["good-manners"].attempts, tallies["good-manners"].agents, tallies["good-manners"].passed) == (
        2,
        1,
        1,
    )
    assert overview.tallies(db, []) == {}
