"""Findings: statistics over an evaluation's results, computed from sums. Every figure has its count."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Literal, TypeVar

from msgspec import Struct

from viva.kit.db import Connection
from viva.results import intervals, stored_sums, themes
from viva.results.intervals import PassGroup, wilson_interval
from viva.results.model import Tally
from viva.results.official import Scope
from viva.results.overview import PassRate, pass_rate
from viva.results.stored_sums import CriterionSums, GroupSums, Sums, VersionSums
from viva.results.sums import HISTOGRAM_BINS, SESSION_LENGTHS_MESSAGES
from viva.results.themes import Themes

MIN_JUDGEMENTS = 5  # fewer judgements of a criterion, or fewer scores, are too few for a statement
MIN_CONVERSATIONS = 20
FALSE_PATTERN_RATE = 0.05  # the significance level of a pattern
MAX_CURATED_FINDINGS = 20
MAX_CURATED_CHARACTERS = 500
EMPTY_TALLY = Tally(attempts=0, agents=0, passed=0)
NO_THEMES = Themes(0, [], [], [])
FindingType = TypeVar("FindingType")


class MeanScore(Struct, frozen=True):
    """The mean of scores as shares of the maximum, from 0 to 1, with a 95 % interval if there are enough scores."""

    share: float
    low: float | None
    high: float | None
    scored: int


class VersionRate(Struct, frozen=True):
    version: str
    rate: PassRate


class MonthRate(Struct, frozen=True):
    month: str
    rate: PassRate


class LengthRate(Struct, frozen=True):
    """Sessions with at least so many messages, and fewer than in the next group."""

    messages: int
    rate: PassRate


class CriterionRate(Struct, frozen=True):
    """How often a criterion was met when it was judged. `share`, `low` and `high` are from 0 to 1."""

    criterion_id: str
    text: str
    met: int
    judged: int
    unscored: int
    share: float
    low: float
    high: float


class Pattern(Struct, frozen=True):
    """Longer sessions are passed more or less often; `p` is the p-value of the trend."""

    passed: Literal["more", "less"]
    p: float
    attempts: int


class CriterionDifference(Struct, frozen=True):
    """A criterion that passed attempts meet more often, or less often, than the others."""

    criterion_id: str
    text: str
    met_passed: int
    judged_passed: int
    met_failed: int
    judged_failed: int
    low: float  # of the difference of the shares, at 95 %
    high: float
    p: float


class VersionChange(Struct, frozen=True):
    """Two versions in succession with different pass rates; `low` and `high` are of the newer share less the older one."""

    older: VersionRate
    newer: VersionRate
    low: float
    high: float
    p: float


class Findings(Struct, frozen=True):
    """`curated` are sentences of the evaluation's authors. Strengths, weaknesses and patterns are statistically significant.
    `criteria_share` is how often criteria are met, over all criteria."""

    curated: list[str]
    attempts: int
    agents: int
    first_at: datetime | None
    last_at: datetime | None
    pass_rate: PassRate | None
    mean_score: MeanScore | None
    mean_points: float | None
    histogram: list[int]
    by_version: list[VersionRate]
    by_month: list[MonthRate]
    by_length: list[LengthRate]
    criteria: list[CriterionRate]
    criteria_share: float | None
    strengths: list[CriterionRate]
    weaknesses: list[CriterionRate]
    distinguishing: list[CriterionDifference]
    version_changes: list[VersionChange]
    pattern: Pattern | None
    themes: Themes


def read_findings(
    db: Connection, evaluation_id: str, version: str | None, curated: Any = None, scope: Scope = "official"
) -> Findings:
    """The findings of a version, or of all versions together."""
    sums = stored_sums.read(db, evaluation_id, version, scope)
    return compute_findings(sums, curated, themes.read_themes(db, evaluation_id, version, scope))


def compute_findings(sums: Sums, curated: Any = None, feedback_themes: Themes = NO_THEMES) -> Findings:
    """`curated` is what the evaluation's config has under `findings`."""
    total, judged = sums.total, [criterion for criterion in sums.criteria if criterion.judged_count]
    share = share_met(judged)
    lengths = rates_by_length(sums.groups)
    versions = [
        VersionRate(version.evaluation_version, rate) for version in sums.versions if (rate := pass_rate(version))
    ]
    return Findings(
        curated=curated_texts(curated),
        attempts=(total or EMPTY_TALLY).attempts,
        agents=(total or EMPTY_TALLY).agents,
        first_at=total.first_at if total else None,
        last_at=total.last_at if total else None,
        pass_rate=pass_rate(total or EMPTY_TALLY),
        mean_score=mean_score(total) if total and total.scored else None,
        mean_points=total.points_sum / total.attempts if total else None,
        histogram=total.histogram if total else [0] * HISTOGRAM_BINS,
        by_version=versions,
        by_month=rates_by_month(sums.groups),
        by_length=lengths,
        criteria=[criterion_rate(criterion) for criterion in judged],
        criteria_share=share,
        strengths=[criterion_rate(outlier) for outlier in find_outliers(judged, share, upwards=True)],
        weaknesses=[criterion_rate(outlier) for outlier in find_outliers(judged, share, upwards=False)],
        distinguishing=find_distinguishing(judged),
        version_changes=find_version_changes(sums.versions),
        pattern=find_pattern(lengths),
        themes=feedback_themes,
    )


def curated_texts(curated: Any) -> list[str]:
    texts = curated if isinstance(curated, list) else []
    return [
        text[:MAX_CURATED_CHARACTERS] for text in texts[:MAX_CURATED_FINDINGS] if isinstance(text, str) and text.strip()
    ]


def mean_score(sums: VersionSums) -> MeanScore:
    n, share = sums.scored, sums.share_sum / sums.scored
    if n < MIN_JUDGEMENTS:
        return MeanScore(share, None, None, n)
    return MeanScore(share, *intervals.mean_interval(n, sums.share_sum, sums.share_squares), n)


def group_rate(group: GroupSums) -> PassRate:
    share = group.passed / group.attempts
    return PassRate(group.passed, group.attempts, share, *wilson_interval(group.passed, group.attempts))


def rates_by_month(groups: Sequence[GroupSums]) -> list[MonthRate]:
    months = sorted((group for group in groups if group.kind == "month"), key=lambda group: group.value)
    return [MonthRate(month.value, group_rate(month)) for month in months]


def rates_by_length(groups: Sequence[GroupSums]) -> list[LengthRate]:
    lengths = sorted((group for group in groups if group.kind == "messages"), key=lambda group: int(group.value))
    return [LengthRate(int(length.value), group_rate(length)) for length in lengths]


def share_met(criteria: Sequence[CriterionSums]) -> float | None:
    judged = sum(criterion.judged_count for criterion in criteria)
    return sum(criterion.met for criterion in criteria) / judged if judged else None


def criterion_rate(criterion: CriterionSums) -> CriterionRate:
    met, judged = criterion.met, criterion.judged_count
    return CriterionRate(
        criterion.criterion_id,
        criterion.text or criterion.criterion_id,
        met,
        judged,
        criterion.unscored,
        met / judged,
        *wilson_interval(met, judged),
    )


def find_outliers(criteria: Sequence[CriterionSums], share: float | None, *, upwards: bool) -> list[CriterionSums]:
    """Criteria met significantly more (or less) often than all criteria together, the most extreme first.

    Every criterion is one test, so the intervals are widened by Bonferroni's correction."""
    tested = [criterion for criterion in criteria if criterion.judged_count >= MIN_JUDGEMENTS]
    z, outliers = intervals.bonferroni_z(len(tested)), []
    for criterion in tested if share is not None else ():
        low, high = wilson_interval(criterion.met, criterion.judged_count, z)
        if share is not None and (low > share if upwards else high < share):
            outliers.append((-low if upwards else high, criterion.criterion_id, criterion))
    return [criterion for _, _, criterion in sorted(outliers, key=lambda outlier: outlier[:2])]


def find_distinguishing(criteria: Sequence[CriterionSums]) -> list[CriterionDifference]:
    """The criteria that tell passed attempts from the others, the widest difference first.

    Every criterion is one test. At most one in twenty of those found is by chance (Benjamini and Hochberg)."""
    tested = [each for each in criteria if min(each.in_passed.n, each.in_failed.n) >= MIN_JUDGEMENTS]
    found = [difference_of(criterion) for criterion in tested]
    kept = keep_significant(found, [each.p for each in found])
    return sorted(kept, key=lambda each: (-max(each.low, -each.high), each.criterion_id))


def difference_of(criterion: CriterionSums) -> CriterionDifference:
    passed, failed = criterion.in_passed, criterion.in_failed
    return CriterionDifference(
        criterion.criterion_id,
        criterion.text or criterion.criterion_id,
        *passed,
        *failed,
        *intervals.difference_interval(passed, failed),
        intervals.difference_p(passed, failed),
    )


def find_version_changes(versions: Sequence[VersionSums]) -> list[VersionChange]:
    """The versions that are passed more or less often than the version before, newest first by their first result."""
    newest_first = sorted(versions, key=lambda each: (each.first_at, each.evaluation_version), reverse=True)
    rates = [VersionRate(each.evaluation_version, rate) for each in newest_first if (rate := pass_rate(each))]
    changes = [change_between(older, newer) for newer, older in pairwise(rates)]
    return keep_significant(changes, [change.p for change in changes])


def change_between(older: VersionRate, newer: VersionRate) -> VersionChange:
    one, other = (PassGroup(each.rate.passed, each.rate.attempts) for each in (newer, older))
    return VersionChange(older, newer, *intervals.difference_interval(one, other), intervals.difference_p(one, other))


def keep_significant(found: Sequence[FindingType], p_values: Sequence[float]) -> list[FindingType]:
    """Those that are not chance, by the procedure of Benjamini and Hochberg."""
    limit = max(
        (p for place, p in enumerate(sorted(p_values), 1) if p <= FALSE_PATTERN_RATE * place / len(p_values)),
        default=-1.0,
    )
    return [each for each, p in zip(found, p_values, strict=True) if p <= limit]


def find_pattern(lengths: Sequence[LengthRate]) -> Pattern | None:
    """Whether longer sessions are passed more often, or less often."""
    rates = {length.messages: length.rate for length in lengths}
    in_order = [rates.get(messages) for messages in SESSION_LENGTHS_MESSAGES]
    groups = [PassGroup(rate.passed, rate.attempts) if rate else PassGroup(0, 0) for rate in in_order]
    conversations = sum(group.n for group in groups)
    trend = intervals.trend_over_groups(groups)
    if trend is None or trend.p >= FALSE_PATTERN_RATE or conversations < MIN_CONVERSATIONS:
        return None
    return Pattern("more" if trend.z > 0 else "less", trend.p, conversations)
