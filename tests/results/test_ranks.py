"""Tests by ranks give what slow computations give, and one outlier does not erase a pattern."""

import random
from itertools import permutations
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.results import intervals
from viva.results.findings import keep_significant
from viva.results.intervals import PassGroup

values = st.integers(0, 6).map(float)
pairs = st.lists(st.tuples(values, values), min_size=2, max_size=30)
groups = st.integers(1, 40).flatmap(lambda n: st.builds(PassGroup, st.integers(0, n), st.just(n)))


def slow_rank(value: float, among: list[float]) -> float:
    """The mean place of the value when all are sorted: after the smaller ones, in the middle of the equal ones."""
    return sum(other < value for other in among) + (sum(other == value for other in among) + 1) / 2


def slow_rho(found: list[tuple[float, float]]) -> float | None:
    """Pearson's coefficient of the ranks, by its definition."""
    ranked = [[slow_rank(pair[side], [each[side] for each in found]) for pair in found] for side in (0, 1)]
    means = [sum(column) / len(column) for column in ranked]
    covariance = sum((a - means[0]) * (b - means[1]) for a, b in zip(*ranked, strict=True))
    spreads = [sum((each - mean) ** 2 for each in column) for column, mean in zip(ranked, means, strict=True)]
    return covariance / sqrt(spreads[0] * spreads[1]) if all(spreads) else None


@settings(deadline=None)
@given(found=pairs)
def test_the_coefficient_is_that_of_its_definition(found):
    correlation, slow = intervals.spearman(found), slow_rho(found)

    assert (correlation is None) == (slow is None)
    if correlation is not None:
        assert correlation.rho == pytest.approx(slow, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(found=st.lists(st.tuples(values, values), min_size=3, max_size=6))
def test_over_all_orders_the_variance_of_the_coefficient_is_that_of_the_p_value(found):
    first, second = [one for one, _ in found], [two for _, two in found]
    every = [intervals.spearman(list(zip(first, order, strict=True))) for order in permutations(second)]

    found_all = [each for each in every if each]
    if len(found_all) == len(every):
        variance = sum(each.rho**2 for each in found_all) / len(every)
        assert variance == pytest.approx(1 / (len(found) - 1))


@pytest.mark.parametrize("seed", range(5))
def test_the_p_value_is_near_the_share_of_shuffled_orders_that_are_as_extreme(seed):
    chance = random.Random(seed)
    found = [(float(number // 2), number * 0.05 + chance.random()) for number in range(24)]
    correlation = intervals.spearman(found)
    first, second = [one for one, _ in found], [two for _, two in found]
    shuffled = [intervals.spearman(list(zip(first, chance.sample(second, 24), strict=True))) for _ in range(2_000)]

    assert correlation is not None
    as_extreme = sum(abs(each.rho) >= abs(correlation.rho) for each in shuffled if each) / len(shuffled)
    assert correlation.p == pytest.approx(as_extreme, abs=0.02)


def test_one_outlier_does_not_erase_a_pattern():
    rising = [(float(messages), messages / 40) for messages in range(30)]

    correlation = intervals.spearman([*rising, (10_000.0, 0.0)])

    assert correlation is not None
    assert correlation.rho > 0.6
    assert correlation.p < 0.001


def test_one_long_session_does_not_erase_the_trend_of_the_others():
    short, longer, far_away = PassGroup(3, 20), PassGroup(14, 20), PassGroup(0, 1)

    trend = intervals.trend_over_groups([short, longer, PassGroup(0, 0), PassGroup(0, 0), PassGroup(0, 0), far_away])

    assert trend is not None
    assert trend.p < 0.01


@settings(deadline=None)
@given(one=groups, other=groups)
def test_the_difference_of_two_shares_has_the_p_value_of_fishers_test(one, other):
    assert intervals.difference_p(one, other) == pytest.approx(intervals.fisher_p(*one, *other), abs=1e-6)


@settings(deadline=None, max_examples=25)
@given(share=st.integers(20, 80), apart=st.integers(0, 20))
def test_large_groups_have_nearly_the_p_value_of_fishers_test(share, apart):
    one, other = PassGroup(share * 4, 400), PassGroup(share * 4 + apart, 400)

    assert intervals.difference_p(one, other) == pytest.approx(intervals.fisher_p(*one, *other), abs=0.08)


@settings(deadline=None)
@given(one=groups, other=groups)
def test_the_interval_of_a_difference_holds_the_difference_and_turns_with_its_sign(one, other):
    low, high = intervals.difference_interval(one, other)
    back = intervals.difference_interval(other, one)

    assert -1 <= low <= one.hits / one.n - other.hits / other.n <= high <= 1
    assert (back.low, back.high) == pytest.approx((-high, -low))


def test_among_many_tests_a_low_p_value_alone_is_not_enough():
    assert keep_significant(["a", "b"], [0.04, 0.9]) == []
    assert keep_significant(["a", "b"], [0.02, 0.9]) == ["a"]
    assert keep_significant(["a", "b"], [0.04, 0.05]) == ["a", "b"]
    assert keep_significant([], []) == []
