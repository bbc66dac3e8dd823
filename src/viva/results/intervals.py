"""Statistics: 95 % confidence intervals, Fisher's exact test, and a trend test over ordered groups."""

from collections.abc import Sequence
from math import comb, erfc, sqrt
from statistics import NormalDist
from typing import NamedTuple

Z_95 = 1.96  # of the normal distribution, for a two-sided 95 % interval


class Interval(NamedTuple):
    low: float
    high: float


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


def mean_interval(n: int, total: float, squares: float) -> Interval:
    """The 95 % interval of the mean of n shares by Student's t; n is at least 2."""
    mean = total / n
    variance = max(0.0, squares - n * mean * mean) / (n - 1)
    reach = student_t(n - 1) * sqrt(variance / n)
    return Interval(max(0.0, mean - reach), min(1.0, mean + reach))


def student_t(degrees: int) -> float:
    """The t for 95 %, by the first terms of its expansion. The error is below 2 % from 4 degrees of freedom."""
    return Z_95 + (Z_95**3 + Z_95) / (4 * degrees) + (5 * Z_95**5 + 16 * Z_95**3 + 3 * Z_95) / (96 * degrees**2)


def fisher_p(hits: int, n: int, other_hits: int, other_n: int) -> float:
    """The p-value of Fisher's exact test: the chance that two equal groups differ at least this much."""
    all_hits, whole = hits + other_hits, comb(n + other_n, hits + other_hits)
    ways = [comb(n, k) * comb(other_n, all_hits - k) for k in range(max(0, all_hits - other_n), min(n, all_hits) + 1)]
    observed = comb(n, hits) * comb(other_n, other_hits)
    return sum(way for way in ways if way <= observed) / whole


class Trend(NamedTuple):
    """`z` is above 0 if the share rises from group to group; `p` is the two-sided p-value."""

    z: float
    p: float


class PassGroup(NamedTuple):
    hits: int
    n: int


def cochran_armitage(groups: Sequence[PassGroup]) -> Trend | None:
    """The Cochran-Armitage trend test over ordered groups; None if there is nothing to compare."""
    n, hits = sum(group.n for group in groups), sum(group.hits for group in groups)
    if n == 0 or hits in (0, n):
        return None
    share = hits / n
    first = sum(place * group.n for place, group in enumerate(groups))
    second = sum(place * place * group.n for place, group in enumerate(groups))
    spread = share * (1 - share) * (second - first * first / n)
    if spread <= 1e-12:  # all are in one group
        return None
    z = sum(place * (group.hits - group.n * share) for place, group in enumerate(groups)) / sqrt(spread)
    return Trend(z, erfc(abs(z) / sqrt(2)))
