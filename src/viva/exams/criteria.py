"""Criteria: rows of a sheet with their marks, and the outcome computed from them."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from viva.exams.model import Mark, Outcome, SheetRow

SCORE_DIGITS = 4  # decimal places
MAX_CRITERIA_CHARACTERS = 200_000  # of all criteria in one result, because lists show many results in full


class Criterion(Struct, frozen=True):
    """One row with its marks, as a result stores it; `met` is None if no marker gave a mark that counts."""

    id: str
    text: str
    met: bool | None
    mark: float | None
    max: float
    points: float  # added to the score for full marks
    reason: str
    evidence: str
    prompt_id: str | None
    marks: list[Mark]


def criteria_of(rows: Sequence[SheetRow], marks: Iterable[Mark], passing: float) -> list[Criterion]:
    """Every row with its marks, in order. A row is met if its mark reaches the passing percentage of its maximum."""
    by_row: dict[str, list[Mark]] = {row.id: [] for row in rows}
    for mark in marks:
        by_row[mark.row_id].append(mark)
    return [criterion(row, by_row[row.id], passing) for row in rows]


def criterion(row: SheetRow, marks: list[Mark], passing: float) -> Criterion:
    counted = [mark for mark in marks if mark.mark is not None]
    value = median(mark.mark for mark in counted if mark.mark is not None) if counted else None
    # The reason comes from the mark nearest to the median; other reasons stay with their marks.
    counted.sort(key=lambda mark: abs((mark.mark or 0) - (value or 0)))
    return Criterion(
        id=row.id,
        text=row.ask,
        met=None if value is None else value * 100 >= passing * row.most,
        mark=value,
        max=row.most,
        points=row.points,
        reason=next((mark.reason for mark in counted if mark.reason), "") if counted else why_unmarked(marks),
        evidence=next((mark.quote for mark in counted if mark.quote), ""),
        prompt_id=row.prompt_id,
        marks=marks,
    )


def why_unmarked(marks: Sequence[Mark]) -> str:
    if any(mark.has_failed_control for mark in marks):
        return "The judge did not pass its control question here, so its mark does not count."
    return "No marker gave a mark that counts."


def outcome_of(criteria: Sequence[Criterion], passing: float, more: dict[str, Any] | None = None) -> Outcome:
    """The outcome of all criteria. Unscored rows add no points and are listed as unscored.

    If they could have changed the verdict, the attempt is not a try, unless the candidate tried to instruct the judge
    in one of them."""
    max_score = sum(each.points for each in criteria)
    score = sum(points_of(each) for each in criteria)
    unscored = [each for each in criteria if each.mark is None]
    needed = passing / 100 * max_score
    passed = score >= needed - 1e-9  # float sums are not exact, for example ten times 0.1
    is_open = not passed and score + sum(each.points for each in unscored) >= needed - 1e-9
    is_try = not is_open or any(instructions_in(each) for each in unscored)
    data = {
        "criteria": to_builtins(shorten_criteria(criteria)),
        "passing_score": passing,
        **describe_marks(criteria),
        **(more or {}),
    }
    if unscored:
        data |= {"unscored": [each.id for each in unscored], "is_undecided": is_open}
    feedback = describe_unscored(unscored, is_open, is_try)
    return Outcome(passed, round(score, SCORE_DIGITS), round(max_score, SCORE_DIGITS), data, feedback, is_try=is_try)


def shorten_criteria(criteria: Sequence[Criterion]) -> list[Criterion]:
    """The criteria with shortened texts. The full texts of the markers stay with the sheet."""
    parts = sum(3 + sum(2 + len(mark.notes.get("instructions", ())) for mark in each.marks) for each in criteria)
    length = MAX_CRITERIA_CHARACTERS // max(1, parts)
    return [
        replace(
            each,
            text=each.text[:length],
            reason=each.reason[:length],
            evidence=each.evidence[:length],
            marks=[shorten_mark(mark, length) for mark in each.marks],
        )
        for each in criteria
    ]


def shorten_mark(mark: Mark, length: int) -> Mark:
    quotes = [quote[:length] for quote in mark.notes.get("instructions", ())]
    notes = mark.notes | ({"instructions": quotes} if quotes else {})
    return replace(mark, reason=mark.reason[:length], quote=mark.quote[:length], notes=notes)


def points_of(criterion: Criterion) -> float:
    # The share is computed first: it is at most 1, so that rounding never lifts the sum above the maximum.
    return 0.0 if criterion.mark is None else criterion.points * (criterion.mark / criterion.max)


def describe_unscored(unscored: Sequence[Criterion], is_open: bool, is_try: bool) -> str | None:
    if not unscored:
        return None
    rows = "1 row" if len(unscored) == 1 else f"{len(unscored)} rows"
    text = f"{rows} of the rubric could not be marked: {', '.join(each.id for each in unscored[:20])}."
    text += " That could have changed the verdict." if is_open else ""
    return text if is_try else f"{text} So this does not count as a try."


def describe_marks(criteria: Sequence[Criterion]) -> dict[str, Any]:
    """What the marks show beside the score: how far markers agree, and which answers tried to instruct them."""
    agreed = agreement(criteria)
    tried = [
        {"row_id": each.id, "prompt_id": each.prompt_id, "quotes": quotes}
        for each in criteria
        if (quotes := instructions_in(each))
    ]
    return ({"agreement": agreed} if agreed else {}) | ({"injections": tried} if tried else {})


def instructions_in(criterion: Criterion) -> list[str]:
    """Quotes from the answer that tried to instruct the judge."""
    return list(dict.fromkeys(quote for mark in criterion.marks for quote in mark.notes.get("instructions", ())))


def agreement(criteria: Sequence[Criterion]) -> dict[str, Any] | None:
    """How far several markers agree: the number of rows with several marks, and how far apart these marks are.

    Distances are shares of the maximum mark."""
    several = [[mark.mark / mark.most for mark in each.marks if mark.mark is not None] for each in criteria]
    several = [shares for shares in several if len(shares) > 1]
    if not several:
        return None
    distances = [max(shares) - min(shares) for shares in several]
    return {"rows": len(several), "widest": round(max(distances), 4), "mean": round(sum(distances) / len(distances), 4)}
