"""The criteria in a result's data, which may hold anything: only what has the right form is read, within bounds."""

from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

MAX_CRITERIA_PER_RESULT = 100  # criteria of one result
MAX_CRITERION_ID_CHARACTERS = 100
MAX_CRITERION_CHARACTERS = 300


class JudgedCriterion(NamedTuple):
    """A criterion and what came of it; `met` is None where nobody could judge it."""

    id: str
    text: str
    met: bool | None
    mark: float | None
    most: float | None
    prompt_id: str | None


def read_judged_criteria(result_data: Any) -> list[JudgedCriterion]:
    """The first of each id; one without an id, or with none that is text, is passed over."""
    given = result_data.get("criteria") if isinstance(result_data, dict) else None
    rows = given[:MAX_CRITERIA_PER_RESULT] if isinstance(given, list) else []
    found: dict[str, JudgedCriterion] = {}
    for judged in read_rows(rows):
        found.setdefault(judged.id, judged)
    return list(found.values())


def read_rows(rows: list[Any]) -> Iterator[JudgedCriterion]:
    for row in rows:
        name = text_within(row.get("id"), MAX_CRITERION_ID_CHARACTERS) if isinstance(row, dict) else None
        if name:
            met, most = row.get("met"), finite_number(row.get("max"))
            yield JudgedCriterion(
                id=name,
                text=text_within(row.get("text"), MAX_CRITERION_CHARACTERS) or "",
                met=met if isinstance(met, bool) else None,
                mark=finite_number(row.get("mark")),
                most=most if most and most > 0 else None,
                prompt_id=text_within(row.get("prompt_id"), MAX_CRITERION_ID_CHARACTERS),
            )


def text_within(value: Any, length: int) -> str | None:
    return value[:length] if isinstance(value, str) and value else None


def finite_number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e12 and isfinite(value) else None
