"""The findings on the page of an evaluation: sentences, criteria, themes, charts."""

from dataclasses import dataclass

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.evaluations.store import version_order
from viva.exams import shown_findings
from viva.kit.db import Connection
from viva.results import scatter, summary_text
from viva.results.findings import CriterionRate, Findings, LengthRate, VersionRate
from viva.results.intervals import RankCorrelation
from viva.results.official import Scope
from viva.results.scatter import Dot
from viva.results.sums import SESSION_LENGTHS_MESSAGES
from viva.results.themes import Theme
from viva.web import charts
from viva.web.charts import SHEET, ChartArea, Histogram, Months, Scatter, Spot

MAX_DOTS_DRAWN = 100
MAX_VERSIONS_DRAWN = 8  # the selector has all versions
MAX_CRITERIA_DRAWN = 5  # strengths, and as many weaknesses


@dataclass(frozen=True)
class FindingsPart:
    found: Findings
    sentences: list[str]  # computed from results; the authors' sentences are in `found.curated`
    histogram: Histogram | None
    months: Months | None
    scatter: Scatter | None
    dots: list[Dot]
    correlation: RankCorrelation | None  # of score and length; None if it may be chance
    sheet: ChartArea = SHEET
    sentences_shown: int = 6  # as many as fit beside the leaderboard; the others are folded

    @property
    def strengths(self) -> list[CriterionRate]:
        return self.found.strengths[:MAX_CRITERIA_DRAWN]

    @property
    def weaknesses(self) -> list[CriterionRate]:
        return self.found.weaknesses[:MAX_CRITERIA_DRAWN]

    @property
    def versions(self) -> list[VersionRate]:
        """The newest versions that have results, newest first."""
        newest_first = sorted(self.found.by_version, key=lambda rate: version_order(rate.version), reverse=True)
        return newest_first[:MAX_VERSIONS_DRAWN]

    @property
    def lengths(self) -> list[tuple[str, LengthRate]]:
        return [(length_label(rate.messages), rate) for rate in self.found.by_length]

    @property
    def recurring(self) -> list[Theme]:
        """The recurring themes that are neither praised nor missed."""
        themes = self.found.themes
        sided = {theme.phrase for theme in (*themes.praised, *themes.missed)}
        return [theme for theme in themes.recurring if theme.phrase not in sided]

    @property
    def attempts_with_conversation(self) -> int:
        return sum(length.rate.attempts for length in self.found.by_length)

    @property
    def placed_dots(self) -> list[tuple[tuple[float, float], Dot]]:
        return list(zip(self.scatter.places, self.dots, strict=True)) if self.scatter else []


def length_label(messages: int) -> str:
    longer = [length for length in SESSION_LENGTHS_MESSAGES if length > messages]
    return f"{messages} to {longer[0] - 1}" if longer else f"{messages} and more"


def findings_part(
    db: Connection,
    current: Evaluation,
    evaluation: Evaluation,
    version: str | None,
    viewer: Agent | None,
    scope: Scope = "official",
) -> FindingsPart:
    found = shown_findings.read_findings(db, current, evaluation, version, viewer, scope)
    dots = scatter.list_dots(db, evaluation.id, version, MAX_DOTS_DRAWN, scope)
    correlation = scatter.correlate(dots)
    return FindingsPart(
        found=found,
        sentences=[*summary_text.key_sentences(found), *summary_text.describe_scores(correlation, len(dots))],
        histogram=charts.histogram(found.histogram, found.mean_score.share if found.mean_score else None),
        months=charts.months(found.by_month),
        scatter=charts.scatter([Spot(dot.messages, dot.share) for dot in dots]),
        dots=dots,
        correlation=correlation,
    )
