"""Analyses as JUnit XML: a test case for each trace, which fails below the threshold."""

from collections.abc import Iterator
from itertools import islice
from xml.sax.saxutils import escape, quoteattr

from viva.engine.analysis import Analysis
from viva.engine.wording import DETECTIONS
from viva.reports.words import SESSION_SCORES, outcome, printable, score

JUNIT_OPENING = '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="viva analyze">\n<testsuite name="traces">\n'
MAX_JUNIT_LINES = 200  # of one trace: more is read in another format
FOOT = "</testsuite>\n</testsuites>\n"


def case(analysis: Analysis, fail_under: float | None) -> str:
    """One trace as a test case, with its scores as properties and what was found as its output."""
    low = is_low(analysis, fail_under)
    message = f"overall_score {score(analysis.overall_score)} is under {fail_under}"
    failure = f"<failure message={attribute(message)}/>" if low else ""
    properties = "".join(
        f"<property name={attribute(name)} value={attribute(score(getattr(analysis, name)))}/>"
        for name in SESSION_SCORES
    )
    return (
        f'<testcase classname="viva.analyze" name={attribute(analysis.id)}><properties>{properties}</properties>'
        f"{failure}<system-out>{text(failure_text(analysis))}</system-out></testcase>\n"
    )


def is_low(analysis: Analysis, fail_under: float | None) -> bool:
    """Whether a trace is under the threshold; one with no score at all cannot be."""
    return fail_under is not None and analysis.overall_score is not None and analysis.overall_score < fail_under


def failure_text(analysis: Analysis) -> str:
    return "\n".join(islice(lines(analysis), MAX_JUNIT_LINES))


def lines(analysis: Analysis) -> Iterator[str]:
    yield outcome(analysis)
    for turn in analysis.turn_results:
        if turn.is_bad:
            yield f"turn {turn.turn_index + 1}: {DETECTIONS[turn.detection_type].label} ({turn.confidence:.2f}): {turn.reason}"
    for issue in analysis.issues:
        yield f"turn {issue.turn_index + 1}: {issue.type} ({issue.severity}): {issue.message}"
    for piece in analysis.recommendations:
        yield f"advice: {piece.text}"


def attribute(value: str) -> str:
    return quoteattr(printable(value))


def text(value: str) -> str:
    """Text as XML takes it: control characters have no place in it, not even escaped."""
    return escape("\n".join(map(printable, value.split("\n"))))
