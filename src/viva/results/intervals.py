"""How sure a figure is: intervals that hold 95 times in 100, and whether a share rises or falls over ordered groups."""

from collections.abc import Sequence
from math import comb, erfc, sqrt
from statistics import NormalDist
from typing import NamedTuple

Z_95 = 1.96  # of the normal distribution, for an interval that holds 95 times in 100


class Interval(NamedTuple):
    low: float
    high: float


def wilson_interval(hits: int, n: int, z: float = Z_95) -> Interval:
    """Of the share of hits among n, which are at least one."""
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(max(0.0, centre - reach), min(1.0, centre + reach))


def bonferroni_z(questions: int) -> float:
    """The z with which all of so many intervals hold together 95 times in 100, as Bonferroni has it."""
    return NormalDist().inv_cdf(1 - 0.05 / (2 * max(1, questions)))


def mean_interval(n: int, total: float, squares: float) -> Interval:
    """Of the mean of n shares, at least two of them, by Student's t, which is wider where there are few."""
    mean = total / n
    variance = max(0.0, squares - n * mean * mean) / (n - 1)
    reach = student_t(n - 1) * sqrt(variance / n)
    return Interval(max(0.0, mean - reach), min(1.0, mean + reach))


def student_t(freedom: int) -> float:
    """The t for 95 %, by the first terms of its expansion; from four degrees on it is right within 2 %."""
    return Z_95 + (Z_95**3 + Z_95) / (4 * freedom) + (5 * Z_95**5 + 16 * Z_95**3 + 3 * Z_95) / (96 * freedom**2)


def fisher_p(hits: int, n: int, other_hits: int, other_n: int) -> float:
    """How often chance alone would divide hits among two groups at least as unevenly, by Fisher's exact test."""
    all_hits, whole = hits + other_hits, comb(n + other_n, hits + other_hits)
    ways = [comb(n, k) * comb(other_n, all_hits - k) for k in range(max(0, all_hits - other_n), min(n, all_hits) + 1)]
    seen = comb(n, hits) * comb(other_n, other_hits)
    return sum(way for way in ways if way <= seen) / whole


class Trend(NamedTuple):
    """`z` above 0 where the share rises from group to group; `p` is how often chance alone would do as much."""

    z: float
    p: float


class PassGroup(NamedTuple):
    hits: int
    n: int


def cochran_armitage(groups: Sequence[PassGroup]) -> Trend | None:
    """The test of Cochran and Armitage over groups in order; None where there is nothing to compare."""
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
