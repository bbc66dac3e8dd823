"""Analyses as JUnit XML: each trace is a test case, which fails if its score is below the threshold."""

from collections.abc import Iterator
from itertools import islice
from xml.sax.saxutils import escape, quoteattr

from viva.engine.analysis import Analysis
from viva.engine.wording import DETECTIONS
from viva.reports.words import SESSION_SCORES, bad_turns, outcome, printable, ranked_issues, score, sureness

JUNIT_OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="viva analyze">\n<testsuite name="traces">\n'
MAX_JUNIT_LINES = 200  # of one trace; other formats show everything
JUNIT_CLOSING = "</testsuite>\n</testsuites>\n"


def render_case(analysis: Analysis, fail_under: float | None, min_confidence: float = 0.0) -> str:
    """One trace as a test case. Scores are its properties, and the findings are its output."""
    low = is_low(analysis, fail_under)
    message = f"overall_score {score(analysis.overall_score)} is under {fail_under}"
    failure = f"<failure message={quote_attribute(message)}/>" if low else ""
    properties = "".join(
        f"<property name={quote_attribute(name)} value={quote_attribute(score(getattr(analysis, name)))}/>"
        for name in SESSION_SCORES
    )
    return (
        f'<testcase classname="viva.analyze" name={quote_attribute(analysis.id)}><properties>{properties}</properties>'
        f"{failure}<system-out>{escape_text(output_text(analysis, min_confidence))}</system-out></testcase>\n"
    )


def is_low(analysis: Analysis, fail_under: float | None) -> bool:
    """Whether a trace is below the threshold. A trace without a score never is."""
    return fail_under is not None and analysis.overall_score is not None and analysis.overall_score < fail_under


def output_text(analysis: Analysis, min_confidence: float) -> str:
    return "\n".join(islice(output_lines(analysis, min_confidence), MAX_JUNIT_LINES))


def output_lines(analysis: Analysis, min_confidence: float) -> Iterator[str]:
    yield outcome(analysis)
    for turn in bad_turns(analysis, min_confidence):
        sure = sureness(turn.detection_type, turn.confidence)
        yield f"turn {turn.turn_index + 1}: {DETECTIONS[turn.detection_type].label} ({sure}): {turn.reason}"
    for issue in ranked_issues(analysis):
        sure = sureness(issue.type, issue.confidence)
        yield f"turn {issue.turn_index + 1}: {issue.type} ({issue.severity}, {sure}): {issue.message}"
    for recommendation in analysis.recommendations:
        yield f"advice: {recommendation.text}"


def quote_attribute(value: str) -> str:
    return quoteattr(printable(value))


def escape_text(value: str) -> str:
    """Text for XML, which forbids control characters even when escaped."""
    return escape("\n".join(map(printable, value.split("\n"))))
