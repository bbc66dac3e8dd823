"""A proctor's marks for the criteria of an evaluation, and the score that they add up to."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from viva.evaluations.model import Evaluation
from viva.kit.errors import Fault, Invalid

MET_SHARE = 0.5  # a criterion with at least half of its points is met
SCORE_DIGITS = 4
MAX_CRITERION_NOTE_CHARACTERS = 1_000


class BadCriteria(Invalid):
    """The marks do not fit the criteria of this evaluation."""


class MarkableCriterion(NamedTuple):
    """A criterion of the evaluation. `points` is None if the evaluation has no score: it is met or not."""

    id: str
    text: str
    points: float | None


class GivenCriterion(NamedTuple):
    """What a proctor says about one criterion: a mark in points, or only whether it is met."""

    id: str
    mark: float | None = None
    met: bool | None = None
    note: str = ""


def criteria_of(evaluation: Evaluation) -> list[MarkableCriterion]:
    """The criteria with their points. Without points of their own, they share the maximum score evenly."""
    given = evaluation.config.get("criteria")
    rows = [row for row in given if is_row(row)] if isinstance(given, list) else []
    max_score = evaluation.max_score
    if max_score is None or not rows:
        return [MarkableCriterion(row["id"], row["text"], None) for row in rows]
    weights = [row.get("points") for row in rows]
    if not all(is_number(weight) for weight in weights):
        weights = [1.0] * len(rows)
    whole = sum(weights)
    return [
        MarkableCriterion(row["id"], row["text"], round(max_score * weight / whole, SCORE_DIGITS))
        for row, weight in zip(rows, weights, strict=True)
    ]


def is_row(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("id"), str) and isinstance(row.get("text"), str)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def check_criteria(evaluation: Evaluation, given: Sequence[GivenCriterion]) -> None:
    faults = tuple(find_faults({each.id: each for each in criteria_of(evaluation)}, given))
    if faults:
        raise BadCriteria(f"{BadCriteria.__doc__} {faults[0].message}", faults=faults)


def find_faults(known: dict[str, MarkableCriterion], given: Sequence[GivenCriterion]) -> Iterator[Fault]:
    times = Counter(each.id for each in given)
    for at, each in enumerate(given):
        field, criterion = f"criteria[{at}]", known.get(each.id)
        if criterion is None:
            yield Fault(f"{field}.id", "unknown_criterion", f"This evaluation has no criterion {each.id}.")
        elif times[each.id] > 1:
            yield Fault(f"{field}.id", "twice", f"{each.id} is marked twice.")
        elif each.mark is not None and not 0 <= each.mark <= (criterion.points or 0):  # false for NaN too
            most = f"a number from 0 to {criterion.points:g}" if criterion.points else "met or not met, without a mark"
            yield Fault(f"{field}.mark", "bad_mark", f"The mark for {each.id} has to be {most}.")
        if len(each.note) > MAX_CRITERION_NOTE_CHARACTERS:
            yield Fault(
                f"{field}.note", "too_long", f"A note has at most {MAX_CRITERION_NOTE_CHARACTERS:,} characters."
            )


def rows_of(evaluation: Evaluation, given: Sequence[GivenCriterion]) -> list[dict[str, Any]]:
    """The criteria as a result stores them, in the order of the evaluation. What was not judged has no mark."""
    by_id = {each.id: each for each in given}
    return [row_of(each, by_id.get(each.id, GivenCriterion(each.id))) for each in criteria_of(evaluation)]


def row_of(criterion: MarkableCriterion, given: GivenCriterion) -> dict[str, Any]:
    row: dict[str, Any] = {"id": criterion.id, "text": criterion.text, "met": given.met, "note": given.note}
    if given.mark is None or not criterion.points:
        return row
    met = given.mark >= MET_SHARE * criterion.points if given.met is None else given.met
    return row | {"met": met, "mark": given.mark, "max": criterion.points}


def find_score(evaluation: Evaluation, given: Sequence[GivenCriterion]) -> float | None:
    """The sum of the marks, if every criterion has one."""
    marks = {each.id: each.mark for each in given if each.mark is not None}
    criteria = criteria_of(evaluation)
    if not criteria or any(each.id not in marks for each in criteria):
        return None
    return min(round(sum(marks.values()), SCORE_DIGITS), evaluation.max_score or 0.0)
