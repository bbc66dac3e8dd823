"""A proctored exam: the proctor's verdict is the outcome, if it fits the evaluation."""

from typing import Any, NamedTuple

from viva.evaluations.model import Evaluation
from viva.exams.handlers.proctor_marks import GivenCriterion, check_criteria, find_score, rows_of
from viva.exams.model import Outcome
from viva.kit.errors import Fault, Invalid, TooLarge
from viva.kit.nesting import is_too_deep, json_size

SAME_SCORE = 0.01  # rounding may differ by less
MAX_RESULT_DATA_BYTES = 64 * 1024  # because a list shows up to 200 results with all their data


class BadScore(Invalid):
    """The score does not fit this evaluation."""

    def __init__(self, message: str) -> None:
        super().__init__(message, faults=(Fault("score", "bad_score", message),))


class ResultDataTooLarge(TooLarge):
    """The result_data of a verdict may have at most 65,536 bytes as JSON."""


class ResultDataTooDeep(Invalid):
    """The result_data of a verdict may have at most 200 nested lists and objects."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("result_data", "too_deep", self.__doc__ or ""),))


class Verdict(NamedTuple):
    passed: bool
    feedback: str | None = None
    score: float | None = None
    data: dict[str, Any] | None = None
    criteria: tuple[GivenCriterion, ...] = ()
    is_practice: bool = False  # the proctor gives it as practice


def decide(evaluation: Evaluation, verdict: Verdict) -> Outcome:
    """The outcome. Marks of all criteria add up to the score."""
    check_criteria(evaluation, verdict.criteria)
    score = find_score(evaluation, verdict.criteria)
    check_same_score(score, verdict.score)
    score = verdict.score if score is None else score
    check_score(evaluation, score)
    data = verdict.data
    if verdict.criteria:
        data = (data or {}) | {"criteria": rows_of(evaluation, verdict.criteria)}
    check_data(data)
    return Outcome(verdict.passed, score, evaluation.max_score, data, verdict.feedback)


def check_same_score(marked: float | None, given: float | None) -> None:
    if marked is not None and given is not None and abs(marked - given) > SAME_SCORE:
        raise BadScore(f"The marks of the criteria add up to {marked:g}, not to {given:g}. Leave the score out.")


def check_score(evaluation: Evaluation, score: float | None) -> None:
    if score is None:
        return
    if evaluation.max_score is None:
        raise BadScore("This evaluation is pass or fail only; it takes no score.")
    if not 0 <= score <= evaluation.max_score:
        raise BadScore(f"A score of this evaluation is a number from 0 to {evaluation.max_score:g}.")


def check_data(data: dict[str, Any] | None) -> None:
    size = json_size(data)
    if size is not None and size > MAX_RESULT_DATA_BYTES:
        raise ResultDataTooLarge()
    if size is None or is_too_deep(data):
        raise ResultDataTooDeep()
