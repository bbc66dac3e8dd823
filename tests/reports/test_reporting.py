"""Reports get analyses from whoever drives the engine; they start nothing themselves."""

import io
import subprocess
import sys
from typing import get_args

import msgspec
import pytest

from tests.engine.refund import refund
from tests.values import UNTRACED
from viva.engine import precision
from viva.engine.analysis import Analysed, Analysis, leave_out_unsure
from viva.engine.analyze import analyze
from viva.engine.evidence import Attribution, Course, Issue, Trajectory
from viva.engine.intake.faults import BadTrace
from viva.reports.reporting import MAX_FAULTY_TRACES_LISTED, write_report
from viva.reports.words import COURSES
from viva.reports.writers import Style

PROGRAM = """
import sys
import viva.reports.reporting

print(*(name for name in ("viva.engine.bulk", "viva.engine.cluster", "multiprocessing") if name in sys.modules))
"""


def test_reports_load_no_process_pool():
    loaded = subprocess.run([sys.executable, "-c", PROGRAM], env=UNTRACED, capture_output=True, text=True, check=True)

    assert loaded.stdout == "\n"


def test_analyses_are_written_and_counted_as_they_come():
    raw = msgspec.json.encode(analyze(refund(), sentence_model=False))
    draft = io.StringIO()

    done = write_report([Analysed(10, raw), Analysed(10, raw)], "jsonl", Style(fail_under=1.0), draft)

    assert draft.getvalue() == 2 * (raw.decode() + "\n")
    assert (done.traces, done.low, done.faulty, done.is_complete) == (2, 2, 0, True)


def test_a_report_with_a_fault_or_without_traces_is_not_complete():
    fault = Analysed(10, fault=BadTrace("a"))

    faulty = write_report([fault] * (MAX_FAULTY_TRACES_LISTED + 1), "jsonl", Style(), io.StringIO())
    empty = write_report([], "jsonl", Style(), io.StringIO())
    raw = msgspec.json.encode(analyze(refund(), sentence_model=False))
    mixed = write_report([Analysed(10, raw), fault], "jsonl", Style(), io.StringIO())

    assert (faulty.faulty, len(faulty.faults), faulty.is_complete) == (
        MAX_FAULTY_TRACES_LISTED + 1,
        MAX_FAULTY_TRACES_LISTED,
        False,
    )
    assert not empty.is_complete
    assert (mixed.traces, mixed.is_complete) == (1, False)


def unsure_run() -> Analysis:
    """A run with two bad turns, two issues and an attribution of different confidence."""
    analysis = analyze(refund(), sentence_model=False)
    turn = analysis.turn_results[0]
    likely, sure = (
        msgspec.structs.replace(
            turn, turn_index=k, is_bad=True, detection_type="rdm", confidence=confidence, reason=why
        )
        for k, confidence, why in ((0, 0.6, "the doubtful turn"), (1, 0.9, "the certain turn"))
    )
    issues = tuple(
        Issue("DUPLICATE_CALL", "LOW", "planner", 0, 0, 0, message, "", confidence)
        for message, confidence in (("the doubtful call", 0.6), ("the certain call", 0.9))
    )
    blamed = Attribution("planner", 0, 0, 0.7, "the planner did it")
    return msgspec.structs.replace(analysis, turn_results=(likely, sure), issues=issues, failure_attribution=blamed)


def write_analysis(analysis: Analysis, format_: str, min_confidence: float = 0.0) -> str:
    draft = io.StringIO()
    raw = msgspec.json.encode(leave_out_unsure(analysis, min_confidence))
    write_report([Analysed(10, raw)], format_, Style(min_confidence=min_confidence), draft)
    return draft.getvalue()


@pytest.mark.parametrize("format_", ["table", "html", "junit"])
def test_the_surest_findings_are_listed_first(format_):
    shown = write_analysis(unsure_run(), format_)

    assert shown.index("the certain turn") < shown.index("the doubtful turn")
    assert shown.index("the certain call") < shown.index("the doubtful call")


@pytest.mark.parametrize("format_", ["table", "html", "junit"])
def test_findings_below_the_confidence_asked_for_are_left_out(format_):
    shown = write_analysis(unsure_run(), format_, min_confidence=0.8)

    assert "the certain turn" in shown
    assert "the certain call" in shown
    assert not [words for words in ("the doubtful turn", "the doubtful call", "the planner did it") if words in shown]


def test_what_is_left_out_as_unsure_changes_no_score():
    analysis = unsure_run()

    left = leave_out_unsure(analysis, 0.8)

    assert [issue.message for issue in left.issues] == ["the certain call"]
    assert left.failure_attribution is None
    assert (
        msgspec.structs.replace(left, issues=analysis.issues, failure_attribution=analysis.failure_attribution)
        == analysis
    )


@pytest.mark.parametrize("format_", ["table", "html", "junit"])
def test_a_kind_that_was_often_wrong_is_marked_as_unsure(format_, monkeypatch):
    monkeypatch.setitem(precision.PRECISION, "rdm", precision.Precision(4, 10))

    assert "0.90, unsure" in write_analysis(unsure_run(), format_)


def test_a_run_that_missed_its_goal_is_not_called_optimal():
    straight = msgspec.structs.replace(
        analyze(refund(), sentence_model=False),
        task_completion=False,
        task_completion_score=0.02,
        trajectory=Trajectory("optimal", 1.0),
    )

    shown = write_analysis(straight, "table")

    assert "the goal was not reached" in shown
    assert "Trajectory straight" in shown


def test_every_course_of_a_run_has_its_word():
    assert COURSES.keys() == set(get_args(Course))
