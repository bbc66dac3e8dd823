"""Criteria, the rows of a sheet with all their marks, and the outcome that they come to."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from viva.exams.model import Mark, Outcome, SheetRow

SCORE_DIGITS = 4  # of a score, after the point
MAX_CRITERIA_CHARACTERS = (
    200_000  # characters of what a result says about its criteria: lists show many results with all their data
)


class Criterion(Struct, frozen=True):
    """One row with its marks, as results keep it; `met` is None where no marker gave a mark that counts."""

    id: str
    text: str
    met: bool | None
    mark: float | None
    max: float
    points: float  # of the score, that the whole of its marks is worth
    reason: str
    evidence: str
    prompt_id: str | None
    marks: list[Mark]


def criteria_of(rows: Sequence[SheetRow], marks: Iterable[Mark], passing: float) -> list[Criterion]:
    """Every row with its marks, in order; a row is met with the share of its marks that passing asks of the whole."""
    given: dict[str, list[Mark]] = {row.id: [] for row in rows}
    for mark in marks:
        given[mark.row_id].append(mark)
    return [criterion(row, given[row.id], passing) for row in rows]


def criterion(row: SheetRow, marks: list[Mark], passing: float) -> Criterion:
    counted = [mark for mark in marks if mark.mark is not None]
    value = median(mark.mark for mark in counted if mark.mark is not None) if counted else None
    # Whose mark is nearest speaks for all; what others said stands with their marks.
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
    if any(mark.notes.get("misled") for mark in marks):
        return "A control question showed that the judge does not keep to what it is asked here, so its mark does not count."
    return "No marker gave a mark that counts."


def outcome_of(criteria: Sequence[Criterion], passing: float, more: dict[str, Any] | None = None) -> Outcome:
    """The score is what the marks are worth; unscored rows are worth nothing and are said to be unscored.

    Where they could have turned the verdict it is no try of the candidate's, unless the candidate tried to instruct
    the judge there."""
    max_score = sum(each.points for each in criteria)
    score = sum(points_of(each) for each in criteria)
    unscored = [each for each in criteria if each.mark is None]
    needed = passing / 100 * max_score
    passed = score >= needed - 1e-9  # 70 of 100 is reached by 7 of 10 tenths, which do not add up exactly
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
    told = describe_unscored(unscored, is_open, is_try)
    return Outcome(passed, round(score, SCORE_DIGITS), round(max_score, SCORE_DIGITS), data, told, is_try=is_try)


def shorten_criteria(criteria: Sequence[Criterion]) -> list[Criterion]:
    """The criteria with their words cut to what a result keeps of each; what the markers said in full stays with the sheet."""
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
    # The share first: it is at most 1, so that rounding never lifts the sum above what the whole is worth.
    return 0.0 if criterion.mark is None else criterion.points * (criterion.mark / criterion.max)


def describe_unscored(unscored: Sequence[Criterion], is_open: bool, is_try: bool) -> str | None:
    if not unscored:
        return None
    rows = "1 row" if len(unscored) == 1 else f"{len(unscored)} rows"
    told = f"{rows} of the rubric could not be marked: {', '.join(each.id for each in unscored[:20])}."
    told += " That could have turned the verdict." if is_open else ""
    return told if is_try else f"{told} So this does not count as a try."


def describe_marks(criteria: Sequence[Criterion]) -> dict[str, Any]:
    """What the marks tell beside the score: how far the markers agree, and which answers tried to instruct them."""
    agreed = agreement(criteria)
    tried = [
        {"row_id": each.id, "prompt_id": each.prompt_id, "quotes": quotes}
        for each in criteria
        if (quotes := instructions_in(each))
    ]
    return ({"agreement": agreed} if agreed else {}) | ({"injections": tried} if tried else {})


def instructions_in(criterion: Criterion) -> list[str]:
    """The words of the answer that tried to instruct the judge."""
    return list(dict.fromkeys(quote for mark in criterion.marks for quote in mark.notes.get("instructions", ())))


def agreement(criteria: Sequence[Criterion]) -> dict[str, Any] | None:
    """How far several markers agree: how many rows they marked, and how far apart their marks are, as shares of the most."""
    several = [[mark.mark / mark.most for mark in each.marks if mark.mark is not None] for each in criteria]
    several = [shares for shares in several if len(shares) > 1]
    if not several:
        return None
    apart = [max(shares) - min(shares) for shares in several]
    return {"rows": len(several), "widest": round(max(apart), 4), "mean": round(sum(apart) / len(apart), 4)}
