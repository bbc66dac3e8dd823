"""Statistics: 95 % confidence intervals, Fisher's exact test, and tests of a trend by ranks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import comb, erfc, exp, lgamma, sqrt
from statistics import NormalDist
from typing import NamedTuple

MAX_EXACT_CASES = 100  # with more, the normal distribution is close
Z_95 = 1.96  # of the normal distribution, for a two-sided 95 % interval


class Interval(NamedTuple):
    low: float
    high: float


class PassGroup(NamedTuple):
    hits: int
    n: int


def wilson_interval(hits: int, n: int, z: float = Z_95) -> Interval:
    """The 95 % Wilson interval of the share of hits; n is at least 1."""
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Rounding would put the ends of none and of all beside 0 and 1.
    return Interval(max(0.0, centre - reach) if hits else 0.0, min(1.0, centre + reach) if hits < n else 1.0)


def bonferroni_z(intervals: int) -> float:
    """The z for so many intervals that all hold together with 95 %, by Bonferroni's correction."""
    return NormalDist().inv_cdf(1 - 0.05 / (2 * max(1, intervals)))


def mean_interval(n: int, total: float, squares: float, least: float = 0.0) -> Interval:
    """The 95 % interval of the mean of n values from `least` to 1 by Student's t; n is at least 2."""
    mean = total / n
    variance = max(0.0, squares - n * mean * mean) / (n - 1)
    reach = student_t(n - 1) * sqrt(variance / n)
    return Interval(max(least, mean - reach), min(1.0, mean + reach))


def student_t(degrees: int) -> float:
    """The t for 95 %, by the first terms of its expansion. The error is below 2 % from 4 degrees of freedom."""
    return Z_95 + (Z_95**3 + Z_95) / (4 * degrees) + (5 * Z_95**5 + 16 * Z_95**3 + 3 * Z_95) / (96 * degrees**2)


def fisher_p(hits: int, n: int, other_hits: int, other_n: int) -> float:
    """The p-value of Fisher's exact test: the chance that two equal groups differ at least this much."""
    all_hits, whole = hits + other_hits, comb(n + other_n, hits + other_hits)
    ways = [comb(n, k) * comb(other_n, all_hits - k) for k in range(max(0, all_hits - other_n), min(n, all_hits) + 1)]
    observed = comb(n, hits) * comb(other_n, other_hits)
    return sum(way for way in ways if way <= observed) / whole


@lru_cache(1024)  # findings are read again and again, and their sums seldom change
def difference_p(one: PassGroup, other: PassGroup) -> float:
    """The p-value of the difference of two shares: by Fisher's test if few cases differ, or else by the normal distribution.

    Large groups are computed with logarithms, because their exact numbers of cases have thousands of digits."""
    n, hits = one.n + other.n, one.hits + other.hits
    possible = range(max(0, hits - other.n), min(one.n, hits) + 1)
    if len(possible) > MAX_EXACT_CASES:
        spread = hits / n * (1 - hits / n) * (1 / one.n + 1 / other.n)
        return erfc(abs(one.hits / one.n - other.hits / other.n) / sqrt(2 * spread))
    ways = [log_comb(one.n, k) + log_comb(other.n, hits - k) for k in possible]
    observed, whole = ways[one.hits - possible.start] + 1e-9, log_comb(n, hits)
    return min(1.0, sum(exp(way - whole) for way in ways if way <= observed))


def log_comb(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


class Trend(NamedTuple):
    """`z` is above 0 if the share rises from group to group; `p` is the two-sided p-value."""

    z: float
    p: float


def trend_over_groups(groups: Sequence[PassGroup]) -> Trend | None:
    """The trend test of Cochran and Armitage over ordered groups, by ranks; None if there is nothing to compare.

    Each group stands at the mean rank of its members. So one far-away group with one member weighs no more than its place."""
    n, hits = sum(group.n for group in groups), sum(group.hits for group in groups)
    if n == 0 or hits in (0, n):
        return None
    share, places = hits / n, list(mid_ranks([group.n for group in groups]))
    spread = share * (1 - share) * sum(group.n * place * place for group, place in zip(groups, places, strict=True))
    if spread <= 1e-12:  # all are in one group
        return None
    z = sum(place * group.hits for group, place in zip(groups, places, strict=True)) / sqrt(spread)
    return Trend(z, erfc(abs(z) / sqrt(2)))


def mid_ranks(sizes: Iterable[int]) -> Iterator[float]:
    """The mean rank of each group of equals, counted from the middle of all, so that the mean over all members is 0."""
    sizes = list(sizes)
    middle, before = (sum(sizes) + 1) / 2, 0
    for size in sizes:
        yield before + (size + 1) / 2 - middle
        before += size


class RankCorrelation(NamedTuple):
    """Spearman's coefficient from -1 to 1, and its two-sided p-value."""

    rho: float
    p: float


def spearman(pairs: Sequence[tuple[float, float]]) -> RankCorrelation | None:
    """Whether the second values rise with the first, by ranks; None if all of either are equal.

    Over all orders of the values, the variance of the coefficient is exactly 1 / (n - 1), also with ties. The p-value
    takes the normal distribution with that variance, which is close from 20 pairs on."""
    first, second = ranks([one for one, _ in pairs]), ranks([two for _, two in pairs])
    spread = sqrt(sum(rank * rank for rank in first) * sum(rank * rank for rank in second))
    if not spread:
        return None
    rho = sum(one * two for one, two in zip(first, second, strict=True)) / spread
    return RankCorrelation(rho, erfc(abs(rho) * sqrt(len(pairs) - 1) / sqrt(2)))


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, counted from the middle; equal values share their mean rank."""
    counts = Counter(values)
    in_order = sorted(counts)
    rank_of = dict(zip(in_order, mid_ranks(counts[value] for value in in_order), strict=True))
    return [rank_of[value] for value in values]


def difference_interval(one: PassGroup, other: PassGroup) -> Interval:
    """The 95 % interval of the difference of two shares, by Newcombe's method; both groups have members."""
    first, second = one.hits / one.n, other.hits / other.n
    (low, high), (other_low, other_high) = wilson_interval(*one), wilson_interval(*other)
    difference = first - second
    return Interval(
        difference - sqrt((first - low) ** 2 + (other_high - second) ** 2),
        difference + sqrt((high - first) ** 2 + (second - other_low) ** 2),
    )
