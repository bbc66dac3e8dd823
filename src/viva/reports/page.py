"""Analyses as one page of HTML that needs nothing else: no script, no font, no other file."""

from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from viva.engine.analysis import Analysis
from viva.engine.wording import DETECTIONS
from viva.reports.tally import SCORE_BINS, AnalysisTally
from viva.reports.words import AGENT_SCORES, SESSION_SCORES, outcome, place, printable, score, tone

MAX_AGENTS_SHOWN = 60  # rows of one trace before the rest is only counted
MAX_TURNS_SHOWN = 400  # of one trace; each is a small mark


@dataclass(frozen=True)
class ReportPage:
    """What the template shows: the tally of all, and some traces in full."""

    tally: AnalysisTally
    traces: list[Analysis]
    bins: int = SCORE_BINS
    agents_shown: int = MAX_AGENTS_SHOWN
    turns_shown: int = MAX_TURNS_SHOWN


def render(tally: AnalysisTally) -> str:
    shown = tally.lowest if tally.count > 1 or tally.first is None else [tally.first]
    return environment().get_template("report.html").render(page=ReportPage(tally, shown))


def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("viva.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=make_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"score": score, "place": place, "outcome": outcome, "tone": tone}
    made.globals |= {"SESSION_SCORES": SESSION_SCORES, "AGENT_SCORES": AGENT_SCORES, "DETECTIONS": DETECTIONS}
    return made


def make_printable(value: object) -> object:
    """Strangers' words without what would turn a line around; what the template itself made stays as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
