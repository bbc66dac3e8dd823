"""What an evaluation's page says of its results taken together: sentences, criteria, themes, charts."""

from dataclasses import dataclass

from viva.evaluations.model import Evaluation
from viva.evaluations.store import version_order
from viva.kit.db import Connection
from viva.results import findings, scatter, summary_text
from viva.results.findings import CriterionRate, Findings, LengthRate, VersionRate
from viva.results.scatter import Dot
from viva.results.sums import SESSION_LENGTHS_MESSAGES
from viva.results.themes import Theme
from viva.web import charts
from viva.web.charts import SHEET, ChartArea, Histogram, Months, Scatter, Spot

MAX_DOTS_DRAWN = 100
MAX_VERSIONS_DRAWN = 8  # in the picture; the selector has all
MAX_CRITERIA_DRAWN = 5  # of each side


@dataclass(frozen=True)
class FindingsPart:
    found: Findings
    told: list[str]  # from the results; the authors' own words are in `found.curated`
    histogram: Histogram | None
    months: Months | None
    scatter: Scatter | None
    dots: list[Dot]
    sheet: ChartArea = SHEET
    first_told: int = 6  # as many as stand beside the leaderboard; the others open below them

    @property
    def strengths(self) -> list[CriterionRate]:
        return self.found.strengths[:MAX_CRITERIA_DRAWN]

    @property
    def weaknesses(self) -> list[CriterionRate]:
        return self.found.weaknesses[:MAX_CRITERIA_DRAWN]

    @property
    def versions(self) -> list[VersionRate]:
        """The newest versions that have results, the newest first."""
        newest_first = sorted(self.found.by_version, key=lambda each: version_order(each.version), reverse=True)
        return newest_first[:MAX_VERSIONS_DRAWN]

    @property
    def lengths(self) -> list[tuple[str, LengthRate]]:
        return [(length_words(each.messages), each) for each in self.found.by_length]

    @property
    def recurring(self) -> list[Theme]:
        """What recurs and is not already said to stand on one side."""
        themes = self.found.themes
        sided = {theme.phrase for theme in (*themes.praised, *themes.missed)}
        return [theme for theme in themes.recurring if theme.phrase not in sided]

    @property
    def talks(self) -> int:
        return sum(each.rate.attempts for each in self.found.by_length)

    @property
    def placed_dots(self) -> list[tuple[tuple[float, float], Dot]]:
        return list(zip(self.scatter.places, self.dots, strict=True)) if self.scatter else []


def length_words(messages: int) -> str:
    longer = [length for length in SESSION_LENGTHS_MESSAGES if length > messages]
    return f"{messages} to {longer[0] - 1}" if longer else f"{messages} and more"


def findings_part(db: Connection, evaluation: Evaluation, version: str | None) -> FindingsPart:
    found = findings.read_findings(db, evaluation.id, version, evaluation.config.get("findings"))
    dots = scatter.list_dots(db, evaluation.id, version, MAX_DOTS_DRAWN)
    return FindingsPart(
        found=found,
        told=summary_text.sentences(found, version)[len(found.curated) :],
        histogram=charts.histogram(found.histogram, found.mean_score.share if found.mean_score else None),
        months=charts.months(found.by_month),
        scatter=charts.scatter([Spot(dot.messages, dot.share) for dot in dots]),
        dots=dots,
    )
