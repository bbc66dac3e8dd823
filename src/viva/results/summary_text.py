"""Findings in sentences, each with the number it rests on."""

from collections.abc import Iterator

from viva.results.findings import CriterionRate, Findings, MeanScore, Pattern
from viva.results.overview import PassRate
from viva.results.themes import Theme

MAX_CRITERIA_PER_SIDE = 3  # that are told of each side
MAX_SUMMARY_CHARACTERS = 120


def sentences(found: Findings, version: str | None = None) -> list[str]:
    """What the authors say of it first, then what the results do; nothing where there are none."""
    return [*found.curated, *(summary_sentences(found, version) if found.pass_rate else ())]


def summary_sentences(found: Findings, version: str | None) -> Iterator[str]:
    if version is None and len(found.by_version) > 1:
        yield f"{count_noun(found.attempts, 'attempt')} at {len(found.by_version)} versions are taken together."
    if found.pass_rate:
        yield describe_pass_rate(found.pass_rate, found.agents)
    if found.mean_score:
        yield describe_mean_score(found.mean_score)
    for kind, criteria in (("Often met", found.strengths), ("Often missed", found.weaknesses)):
        for criterion in criteria[:MAX_CRITERIA_PER_SIDE]:
            yield f"{kind}: {describe_criterion(criterion, found.criteria_share or 0)}"
    for theme in (*found.themes.praised[:MAX_CRITERIA_PER_SIDE], *found.themes.missed[:MAX_CRITERIA_PER_SIDE]):
        yield describe_theme(theme)
    if found.pattern:
        yield describe_pattern(found.pattern)


def describe_pass_rate(rate: PassRate, agents: int) -> str:
    given = f"{rate.passed:,} of {count_noun(rate.attempts, 'attempt')} by {count_noun(agents, 'agent')}"
    was = "was" if rate.passed == 1 else "were"
    return f"{given} {was} passed: {format_percent(rate.share)}, 95% interval {format_percent(rate.low)} to {format_percent(rate.high)}."


def describe_mean_score(mean: MeanScore) -> str:
    said = f"The average of {count_noun(mean.scored, 'score')} is {format_percent(mean.share)} of the most possible"
    if mean.low is None or mean.high is None:
        return f"{said}."
    return f"{said}, 95% interval {format_percent(mean.low)} to {format_percent(mean.high)}."


def describe_criterion(criterion: CriterionRate, share: float) -> str:
    return (
        f"“{shorten(criterion.text)}”, met in {criterion.met:,} of {count_noun(criterion.judged, 'attempt')} "
        f"({format_percent(criterion.share)}, 95% interval {format_percent(criterion.low)} to {format_percent(criterion.high)}; "
        f"all criteria together {format_percent(share)})."
    )


def shorten(text: str) -> str:
    """Without its full stop, and a long text up to a whole word."""
    text = text.rstrip(" .")
    if len(text) <= MAX_SUMMARY_CHARACTERS:
        return text
    cut = text[: MAX_SUMMARY_CHARACTERS - 1]
    return f"{cut.rpartition(' ')[0].rstrip(' ,;:') or cut}…"


def describe_theme(theme: Theme) -> str:
    return (
        f"Proctors write “{theme.phrase}” of {theme.passed:,} of {theme.of_passed:,} who passed and of {theme.failed:,} of "
        f"{theme.of_failed:,} who did not ({format_p(theme.p)})."
    )


def describe_pattern(pattern: Pattern) -> str:
    told = f"trend over {count_noun(pattern.attempts, 'attempt')}, {format_p(pattern.p)}"
    return f"Longer sessions are passed {pattern.passed} often ({told})."


def format_p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def format_percent(share: float) -> str:
    return f"{share * 100:.0f}%"
