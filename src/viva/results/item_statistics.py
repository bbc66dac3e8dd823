"""Item statistics of one version: how difficult each item is, how well it separates candidates, how long it takes."""

from collections.abc import Sequence
from math import atanh, sqrt, tanh
from statistics import median
from typing import NamedTuple

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.lru_cache import LruCache
from viva.results import item_reading
from viva.results.criteria import JudgedCriterion
from viva.results.intervals import Z_95, Interval, wilson_interval
from viva.results.item_reading import MAX_ITEMS, NewestResult

MIN_DISCRIMINATION_RESULTS = 20  # the interval of fewer is wider than half of the scale
MAX_REPORTS_CACHED = 50
MIN_SPREAD = 1e-9  # below it, all values are the same but for rounding


class Discrimination(Struct, frozen=True):
    """The corrected item-total correlation: between the mark of an item and the score of all other items."""

    correlation: float
    low: float
    high: float
    results: int


class ItemStatistics(Struct, frozen=True):
    """`right` of the `judged` answers were right; `low` and `high` are the 95 % interval of their share.

    `discrimination` is None if there are too few results, or if all are alike. `median_seconds` is of the `timed` answers,
    those that were saved by themselves."""

    item_id: str
    text: str
    judged: int
    right: int
    share: float
    low: float
    high: float
    discrimination: Discrimination | None
    median_seconds: float | None
    timed: int


class ItemReport(Struct, frozen=True):
    """The items of a version, the most difficult first. `results` of `all_results` were read, the newest ones."""

    evaluation_version: str
    results: int
    all_results: int
    items: list[ItemStatistics]


class ItemScore(NamedTuple):
    """What one attempt got for an item: a share from 0 to 1, and the weight of the item in the score."""

    item_id: str
    share: float
    weight: float


class ItemSums:
    """The sums of one item: x is its share, y the share that the same attempt got for all other items."""

    def __init__(self) -> None:
        self.text = ""
        self.judged = self.right = self.pairs = 0
        self.x = self.y = self.xx = self.yy = self.xy = 0.0
        self.seconds: list[float] = []

    def add_pair(self, x: float, y: float) -> None:
        self.pairs += 1
        self.x, self.y = self.x + x, self.y + y
        self.xx, self.yy, self.xy = self.xx + x * x, self.yy + y * y, self.xy + x * y


REPORTS: LruCache[ItemReport] = LruCache(MAX_REPORTS_CACHED)


def read_report(db: Connection, evaluation_id: str, version: str) -> ItemReport:
    """The report of a version. It is computed again after a new result, and after words of a result were hidden."""
    newest = item_reading.find_newest(db, evaluation_id, version)
    if newest is None:
        return ItemReport(version, 0, 0, [])
    report = REPORTS.find(newest)
    if report is None:
        report = compute_report(db, evaluation_id, version, newest)
        REPORTS.put(newest, report, 1)
    return report


def compute_report(db: Connection, evaluation_id: str, version: str, newest: NewestResult) -> ItemReport:
    sums: dict[str, ItemSums] = {}
    results = 0
    for judged in item_reading.list_judged(db, evaluation_id, version):
        results += 1
        add_attempt(sums, judged)
    for item_id, seconds in item_reading.list_times(db, evaluation_id, version):
        if item_id in sums:
            sums[item_id].seconds.append(seconds)
    items = [statistics_of(item_id, item) for item_id, item in sums.items()]
    return ItemReport(version, results, newest.results, sorted(items, key=lambda item: (item.share, item.item_id)))


def add_attempt(sums: dict[str, ItemSums], judged: Sequence[JudgedCriterion]) -> None:
    for criterion in judged:
        if criterion.met is not None and (criterion.id in sums or len(sums) < MAX_ITEMS):
            item = sums.setdefault(criterion.id, ItemSums())
            item.text = item.text or criterion.text
            item.judged += 1
            item.right += criterion.met
    scores = [score_of(criterion) for criterion in judged if criterion.met is not None]
    total, weights = sum(score.share * score.weight for score in scores), sum(score.weight for score in scores)
    for item_id, share, weight in scores:
        if item_id in sums and len(scores) > 1:
            sums[item_id].add_pair(share, (total - share * weight) / (weights - weight))


def score_of(criterion: JudgedCriterion) -> ItemScore:
    if criterion.mark is None or criterion.max_mark is None:
        return ItemScore(criterion.id, float(bool(criterion.met)), 1.0)
    return ItemScore(criterion.id, min(max(criterion.mark / criterion.max_mark, 0.0), 1.0), criterion.max_mark)


def statistics_of(item_id: str, item: ItemSums) -> ItemStatistics:
    return ItemStatistics(
        item_id,
        item.text or item_id,
        item.judged,
        item.right,
        item.right / item.judged,
        *wilson_interval(item.right, item.judged),
        discrimination_of(item),
        median(item.seconds) if item.seconds else None,
        len(item.seconds),
    )


def discrimination_of(item: ItemSums) -> Discrimination | None:
    n = item.pairs
    if n < MIN_DISCRIMINATION_RESULTS:
        return None
    spread_x, spread_y = item.xx - item.x * item.x / n, item.yy - item.y * item.y / n
    if min(spread_x, spread_y) < MIN_SPREAD * n:
        return None
    correlation = (item.xy - item.x * item.y / n) / sqrt(spread_x * spread_y)
    correlation = min(max(correlation, -1.0), 1.0)  # rounding may lead above 1
    return Discrimination(correlation, *correlation_interval(correlation, n), n)


def correlation_interval(correlation: float, n: int) -> Interval:
    """The 95 % interval of a correlation by Fisher's z; n is at least 4."""
    if abs(correlation) > 1 - 1e-12:
        return Interval(correlation, correlation)
    reach = Z_95 / sqrt(n - 3)
    return Interval(tanh(atanh(correlation) - reach), tanh(atanh(correlation) + reach))
