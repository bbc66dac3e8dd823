"""The criteria of a proctored exam as rows to mark, and the verdict that a second marker gives with them."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import to_builtins

from viva.evaluations.model import Evaluation
from viva.exams.criteria import criteria_of, points_of
from viva.exams.handlers.proctored import BadScore, check_score
from viva.exams.marking import GivenMark
from viva.exams.model import Mark, Outcome, SheetRow
from viva.exams.script_marks import unmarked_criteria
from viva.kit.errors import Fault, Invalid

MET_PERCENT = 50  # of its points; half of a criterion counts as met


class VerdictMissing(Invalid):
    """Say with `passed` whether the exam is passed: a proctored exam is decided by its marker."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("passed", "missing", self.__doc__ or ""),))


class GivenReading(NamedTuple):
    """What a second marker gives. `passed` and `score` are for proctored exams; the score only if there are no rows."""

    marks: list[GivenMark]
    passed: bool | None = None
    score: float | None = None
    feedback: str | None = None


def make_rows(evaluation: Evaluation) -> list[SheetRow]:
    """One row for each criterion of the SIP."""
    guidance = {row["id"]: row.get("guidance") or "" for row in evaluation.config.get("criteria") or []}
    return [
        SheetRow(each.id, each.text, each.max, {}, guidance=guidance[each.id], points=each.max)
        for each in unmarked_criteria(evaluation.config)
    ]


def decide_by_marks(
    evaluation: Evaluation, rows: Sequence[SheetRow], marks: Sequence[Mark], given: GivenReading
) -> Outcome:
    """The outcome of a second marker's verdict. The marks add up to the score."""
    if given.passed is None:
        raise VerdictMissing()
    criteria = criteria_of(rows, marks, MET_PERCENT)
    data = {"criteria": to_builtins(criteria)} if rows else None
    score = score_of(evaluation, sum(points_of(each) for each in criteria)) if rows else check_given(evaluation, given)
    return Outcome(given.passed, score, evaluation.max_score, data, given.feedback)


def score_of(evaluation: Evaluation, points: float) -> float | None:
    # Points that a SIP adds up to more than its maximum, or float sums, must not exceed it.
    return None if evaluation.max_score is None else min(evaluation.max_score, round(points, 4))


def check_given(evaluation: Evaluation, given: GivenReading) -> float | None:
    if evaluation.max_score is not None and given.score is None:
        raise BadScore(f"Give a score from 0 to {evaluation.max_score:g}.")
    check_score(evaluation, given.score)
    return given.score
