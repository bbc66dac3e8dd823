"""Whether two verdicts on the same work differ: about passing, or by more than the margin."""

from typing import Any, NamedTuple

from viva.results.criteria import read_judged_criteria

MAX_COMPARED_ROWS = 1_000  # as many as a sheet may have


class ComparedVerdict(NamedTuple):
    """What is compared of a verdict; `data` may hold the marks of its criteria."""

    passed: bool
    score: float | None
    max_score: float | None
    data: dict[str, Any] | None


class CountedMark(NamedTuple):
    mark: float
    most: float


def do_differ(first: ComparedVerdict, second: ComparedVerdict, margin: float) -> bool:
    """The margin is a percentage of all marks. Differences of criteria are added up, so that none cancels another."""
    if first.passed != second.passed:
        return True
    marks, others = marks_in(first.data), marks_in(second.data)
    if marks and marks.keys() == others.keys():
        difference = sum(abs(marks[id_].mark - others[id_].mark) for id_ in marks)
        return is_above(difference, margin, sum(mark.most for mark in marks.values()))
    if first.score is None or second.score is None:
        return False
    return is_above(abs(first.score - second.score), margin, second.max_score or 0.0)


def is_above(difference: float, margin: float, most: float) -> bool:
    return difference * 100 > margin * most + 1e-9  # float sums are not exact


def marks_in(data: dict[str, Any] | None) -> dict[str, CountedMark]:
    """The marks of a result's criteria by their ids, without those that are unscored."""
    return {
        criterion.id: CountedMark(criterion.mark, criterion.max_mark)
        for criterion in read_judged_criteria(data, MAX_COMPARED_ROWS)
        if criterion.mark is not None and criterion.max_mark is not None
    }
