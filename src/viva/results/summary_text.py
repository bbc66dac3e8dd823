"""Findings as sentences, each with its figures."""

from collections.abc import Iterator

from viva.results.findings import (
    CriterionDifference,
    CriterionRate,
    Findings,
    MeanScore,
    Pattern,
    VersionChange,
)
from viva.results.intervals import RankCorrelation
from viva.results.overview import PassRate
from viva.results.themes import Theme

MAX_CRITERIA_PER_SIDE = 3  # strengths, and as many weaknesses
MAX_CRITERION_CHARACTERS_SHOWN = 120


def sentences(findings: Findings, version: str | None = None) -> list[str]:
    """The authors' sentences, then those about the results, if there are any."""
    if not findings.pass_rate:
        return findings.curated
    return [*findings.curated, *describe_figures(findings, version), *key_sentences(findings)]


def describe_figures(findings: Findings, version: str | None) -> Iterator[str]:
    """The main figures. A page that shows them as numbers leaves these sentences out."""
    if version is None and len(findings.by_version) > 1:
        yield f"{count_noun(findings.attempts, 'attempt')} at {len(findings.by_version)} versions are taken together."
    if findings.pass_rate:
        yield describe_pass_rate(findings.pass_rate, findings.agents)
    if findings.mean_score:
        yield describe_mean_score(findings.mean_score)


def key_sentences(findings: Findings) -> Iterator[str]:
    """What the figures do not say: what tells passed attempts from others, what changed, what is easy and what is hard."""
    for change in findings.version_changes[:MAX_CRITERIA_PER_SIDE]:
        yield describe_version_change(change)
    if len(findings.criteria) > 1:  # a single one repeats the verdict
        for difference in findings.distinguishing[:MAX_CRITERIA_PER_SIDE]:
            yield describe_difference(difference)
    for kind, criteria in (("Often met", findings.strengths), ("Often missed", findings.weaknesses)):
        for criterion in criteria[:MAX_CRITERIA_PER_SIDE]:
            yield f"{kind}: {describe_criterion(criterion, findings.criteria_share or 0)}"
    for theme in (*findings.themes.praised[:MAX_CRITERIA_PER_SIDE], *findings.themes.missed[:MAX_CRITERIA_PER_SIDE]):
        yield describe_theme(theme)
    if findings.pattern:
        yield describe_pattern(findings.pattern)


def describe_version_change(change: VersionChange) -> str:
    newer, older = change.newer, change.older
    is_more = newer.rate.share > older.rate.share
    return (
        f"Version {newer.version} is passed {'more' if is_more else 'less'} often than {older.version}: "
        f"{newer.rate.passed:,} of {newer.rate.attempts:,} against {older.rate.passed:,} of {older.rate.attempts:,} "
        f"({format_reach(change.low, change.high)}, {format_p(change.p)})."
    )


def describe_difference(difference: CriterionDifference) -> str:
    return (
        f"What tells passed attempts from the others: “{shorten(difference.text)}”, met in {difference.met_passed:,} of "
        f"{difference.judged_passed:,} passed and in {difference.met_failed:,} of {difference.judged_failed:,} others "
        f"({format_reach(difference.low, difference.high)}, {format_p(difference.p)})."
    )


def format_reach(low: float, high: float) -> str:
    """The interval of a difference of shares, the smaller end first, without a sign."""
    ends = sorted(abs(end) * 100 for end in (low, high))
    return f"{ends[0]:.0f} to {ends[1]:.0f} percentage points apart"


def describe_pass_rate(rate: PassRate, agents: int) -> str:
    attempts = f"{rate.passed:,} of {count_noun(rate.attempts, 'attempt')} by {count_noun(agents, 'agent')}"
    was = "was" if rate.passed == 1 else "were"
    return f"{attempts} {was} passed: {format_percent(rate.share)}, 95% interval {format_percent(rate.low)} to {format_percent(rate.high)}."


def describe_mean_score(mean: MeanScore) -> str:
    average = f"The average of {count_noun(mean.scored, 'score')} is {format_percent(mean.share)} of the maximum"
    if mean.low is None or mean.high is None:
        return f"{average}."
    return f"{average}, 95% interval {format_percent(mean.low)} to {format_percent(mean.high)}."


def describe_criterion(criterion: CriterionRate, share: float) -> str:
    return (
        f"“{shorten(criterion.text)}”, met in {criterion.met:,} of {count_noun(criterion.judged, 'attempt')} "
        f"({format_percent(criterion.share)}, 95% interval {format_percent(criterion.low)} to {format_percent(criterion.high)}; "
        f"all criteria together {format_percent(share)})."
    )


def shorten(text: str) -> str:
    """The text without its full stop; a long text is cut after a whole word."""
    text = text.rstrip(" .")
    if len(text) <= MAX_CRITERION_CHARACTERS_SHOWN:
        return text
    cut = text[: MAX_CRITERION_CHARACTERS_SHOWN - 1]
    return f"{cut.rpartition(' ')[0].rstrip(' ,;:') or cut}…"


def describe_theme(theme: Theme) -> str:
    return (
        f"Proctors write “{theme.phrase}” of {theme.passed:,} of {theme.of_passed:,} who passed and of {theme.failed:,} of "
        f"{theme.of_failed:,} who did not ({format_p(theme.p)})."
    )


def describe_pattern(pattern: Pattern) -> str:
    evidence = f"trend over {count_noun(pattern.attempts, 'attempt')}, {format_p(pattern.p)}"
    return f"Longer sessions are passed {pattern.passed} often ({evidence})."


def describe_scores(correlation: RankCorrelation | None, attempts: int) -> Iterator[str]:
    if correlation:
        side = "higher" if correlation.rho > 0 else "lower"
        evidence = (
            f"rank correlation {correlation.rho:.2f} over {count_noun(attempts, 'attempt')}, {format_p(correlation.p)}"
        )
        yield f"Longer sessions have {side} scores ({evidence})."


def format_p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_percent(share: float) -> str:
    return f"{share * 100:.0f}%"
