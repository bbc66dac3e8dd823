"""The marks of a panel for one criterion of a conversation."""

import pytest

from viva.exams.script_marks import CriterionMark
from viva.judging.model import Grade
from viva.judging.panel import Assessment
from viva.sittings.grading import MISLED, NO_MARK, UNTESTED, mark_of

CRITERION = CriterionMark("tact", "It is tactful.", None, 10)


def assessment(marks: dict[str, float | None], misled: list[str], untested: list[str]) -> Assessment:
    grades = {name: None if mark is None else Grade(mark, "It holds.", "", False) for name, mark in marks.items()}
    return Assessment(grades, [], misled, untested, False)


def test_the_median_of_all_judges_counts():
    marked = mark_of(CRITERION, assessment({"one": 4, "two": 8, "three": 9}, [], []), [])

    assert (marked.mark, marked.reason) == (8, "It holds.")


@pytest.mark.parametrize(
    ("marks", "misled", "untested", "reason"),
    [
        ({"one": 8, "two": None}, ["two"], [], MISLED),
        ({"one": 8, "two": 9, "three": None}, [], ["three"], UNTESTED),
        ({"one": None}, [], [], NO_MARK),
    ],
)
def test_one_judge_that_did_not_pass_its_control_leaves_the_criterion_to_people(marks, misled, untested, reason):
    marked = mark_of(CRITERION, assessment(marks, misled, untested), [])

    assert (marked.mark, marked.reason) == (None, reason)
