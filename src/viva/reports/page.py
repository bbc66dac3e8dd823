"""Analyses as one HTML page that needs no script, no font and no other file."""

from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from viva.engine.analysis import Analysis
from viva.engine.precision import mark_unsure
from viva.engine.wording import DETECTIONS
from viva.reports.answers import answer_questions
from viva.reports.tally import SCORE_BINS, AnalysisTally
from viva.reports.turn_cards import cards_of
from viva.reports.words import (
    AGENT_SCORES,
    COURSES,
    SESSION_SCORES,
    bad_turns,
    intake,
    outcome,
    place,
    printable,
    ranked_issues,
    score,
    sureness,
    tone,
)

# What the templates of a run use, in a report and on the pages of a hub.
RUN_FILTERS = {
    "score": score,
    "place": place,
    "outcome": outcome,
    "tone": tone,
    "sureness": sureness,
    "mark_unsure": mark_unsure,
}
TURN_SIGNALS = {"ccm": "Asked again (CCM)", "rdm": "Corrected (RDM)", "hallucination": "Hallucination"}
RUN_GLOBALS = {
    "SESSION_SCORES": SESSION_SCORES,
    "AGENT_SCORES": AGENT_SCORES,
    "COURSES": COURSES,
    "DETECTIONS": DETECTIONS,
    "TURN_SIGNALS": TURN_SIGNALS,
}
MAX_AGENTS_SHOWN = 60  # of one trace; the rest is only counted
MAX_TURNS_SHOWN = 100  # of one trace; each is a card


@dataclass(frozen=True)
class ReportPage:
    """What the template shows: a tally of all traces, and some traces in full."""

    tally: AnalysisTally
    traces: list[Analysis]
    min_confidence: float
    bins: int = SCORE_BINS
    agents_shown: int = MAX_AGENTS_SHOWN
    turns_shown: int = MAX_TURNS_SHOWN


def render(tally: AnalysisTally, min_confidence: float = 0.0) -> str:
    traces = tally.lowest if tally.count > 1 or tally.first is None else [tally.first]
    return template_environment().get_template("report.html").render(page=ReportPage(tally, traces, min_confidence))


def template_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("viva.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=make_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= RUN_FILTERS | {"intake": intake}
    environment.filters |= {
        "bad_turns": bad_turns,
        "ranked_issues": ranked_issues,
        "answers": answer_questions,
        "cards": cards_of,
    }
    environment.globals |= RUN_GLOBALS
    return environment


def make_printable(value: object) -> object:
    """Remove control characters, such as marks of text direction, from all text except the template's own markup."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
