"""Findings: the results of an evaluation taken together, worked out from sums; every figure comes with its count."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from viva.kit.db import Connection
from viva.results import intervals, stored_sums, themes
from viva.results.intervals import PassGroup, wilson_interval
from viva.results.model import Tally
from viva.results.overview import PassRate, pass_rate
from viva.results.stored_sums import CriterionSums, GroupSums, Sums, VersionSums
from viva.results.sums import HISTOGRAM_BINS, SESSION_LENGTHS_MESSAGES
from viva.results.themes import Themes

MIN_JUDGEMENTS = 5  # judgements of a criterion, or scores, below which nothing is said of them
MIN_CONVERSATIONS = 20
FALSE_PATTERN_RATE = 0.05  # how often chance alone may do what is called a pattern
MAX_CURATED_FINDINGS = 20
MAX_CURATED_CHARACTERS = 500
EMPTY_TALLY = Tally(attempts=0, agents=0, passed=0)
NO_THEMES = Themes(0, [], [], [])


class MeanScore(Struct, frozen=True):
    """The mean of scores as shares of the most, from 0 to 1, with its 95 % interval where there are enough of them."""

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
    """Sessions of at least so many messages, and fewer than those of the next one."""

    messages: int
    rate: PassRate


class CriterionRate(Struct, frozen=True):
    """How often a criterion was met where it was judged, all three from 0 to 1."""

    criterion_id: str
    text: str
    met: int
    judged: int
    unscored: int
    share: float
    low: float
    high: float


class Pattern(Struct, frozen=True):
    """Longer sessions are passed more or less often; `p` is how often chance alone would show as much."""

    passed: Literal["more", "less"]
    p: float
    attempts: int


class Findings(Struct, frozen=True):
    """`curated` are the words of the evaluation's authors; strengths, weaknesses and patterns are said only where chance
    alone would seldom do as much. `criteria_share` is how often criteria are met, taken all together."""

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
    pattern: Pattern | None
    themes: Themes


def read_findings(db: Connection, evaluation_id: str, version: str | None, curated: Any = None) -> Findings:
    """The findings of a version, or of all versions together."""
    return compute_findings(
        stored_sums.read(db, evaluation_id, version), curated, themes.read_themes(db, evaluation_id, version)
    )


def compute_findings(sums: Sums, curated: Any = None, said: Themes = NO_THEMES) -> Findings:
    """`curated` is what the evaluation's config has under `findings`."""
    taken, judged = sums.taken, [criterion for criterion in sums.criteria if criterion.judged_count]
    share = share_met(judged)
    lengths = rates_by_length(sums.groups)
    return Findings(
        curated=curated_texts(curated),
        attempts=(taken or EMPTY_TALLY).attempts,
        agents=(taken or EMPTY_TALLY).agents,
        first_at=taken.first_at if taken else None,
        last_at=taken.last_at if taken else None,
        pass_rate=pass_rate(taken or EMPTY_TALLY),
        mean_score=mean_score(taken) if taken and taken.scored else None,
        mean_points=taken.points_sum / taken.attempts if taken else None,
        histogram=taken.histogram if taken else [0] * HISTOGRAM_BINS,
        by_version=[VersionRate(each.evaluation_version, rate) for each in sums.versions if (rate := pass_rate(each))],
        by_month=rates_by_month(sums.groups),
        by_length=lengths,
        criteria=[criterion_rate(criterion) for criterion in judged],
        criteria_share=share,
        strengths=[criterion_rate(each) for each in find_outliers(judged, share, upwards=True)],
        weaknesses=[criterion_rate(each) for each in find_outliers(judged, share, upwards=False)],
        pattern=find_pattern(lengths),
        themes=said,
    )


def curated_texts(given: Any) -> list[str]:
    texts = given if isinstance(given, list) else []
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
    talks = sorted((group for group in groups if group.kind == "messages"), key=lambda group: int(group.value))
    return [LengthRate(int(talk.value), group_rate(talk)) for talk in talks]


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
    """Criteria met more (or less) often than all together, the farthest first.

    There are as many questions as criteria, so each interval is as wide as it takes for all of them to hold at once."""
    asked = [criterion for criterion in criteria if criterion.judged_count >= MIN_JUDGEMENTS]
    z, found = intervals.bonferroni_z(len(asked)), []
    for criterion in asked if share is not None else ():
        low, high = wilson_interval(criterion.met, criterion.judged_count, z)
        if share is not None and (low > share if upwards else high < share):
            found.append((-low if upwards else high, criterion.criterion_id, criterion))
    return [criterion for _, _, criterion in sorted(found, key=lambda each: each[:2])]


def find_pattern(lengths: Sequence[LengthRate]) -> Pattern | None:
    """Whether longer sessions are passed more often, or less."""
    rates = {each.messages: each.rate for each in lengths}
    found = [rates.get(length) for length in SESSION_LENGTHS_MESSAGES]
    groups = [PassGroup(rate.passed, rate.attempts) if rate else PassGroup(0, 0) for rate in found]
    talks = sum(group.n for group in groups)
    trend = intervals.cochran_armitage(groups)
    if trend is None or trend.p >= FALSE_PATTERN_RATE or talks < MIN_CONVERSATIONS:
        return None
    return Pattern("more" if trend.z > 0 else "less", trend.p, talks)
