"""The criteria in a result's data. The data may be anything, so only valid rows are read, up to a limit."""

from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

MAX_CRITERIA_PER_RESULT = 100
MAX_CRITERION_ID_CHARACTERS = 100
MAX_CRITERION_CHARACTERS = 300


class JudgedCriterion(NamedTuple):
    """A criterion and its judgement; `met` is None if nobody could judge it."""

    id: str
    text: str
    met: bool | None
    mark: float | None
    max_mark: float | None
    prompt_id: str | None


def read_judged_criteria(result_data: Any, max_rows: int = MAX_CRITERIA_PER_RESULT) -> list[JudgedCriterion]:
    """The criteria with a text as id; if an id is repeated, its first row counts."""
    criteria = result_data.get("criteria") if isinstance(result_data, dict) else None
    rows = criteria[:max_rows] if isinstance(criteria, list) else []
    by_id: dict[str, JudgedCriterion] = {}
    for judged in read_rows(rows):
        by_id.setdefault(judged.id, judged)
    return list(by_id.values())


def read_rows(rows: list[Any]) -> Iterator[JudgedCriterion]:
    for row in rows:
        id_ = text_within(row.get("id"), MAX_CRITERION_ID_CHARACTERS) if isinstance(row, dict) else None
        if id_:
            met, max_mark = row.get("met"), finite_number(row.get("max"))
            yield JudgedCriterion(
                id=id_,
                text=text_within(row.get("text"), MAX_CRITERION_CHARACTERS) or "",
                met=met if isinstance(met, bool) else None,
                mark=finite_number(row.get("mark")),
                max_mark=max_mark if max_mark and max_mark > 0 else None,
                prompt_id=text_within(row.get("prompt_id"), MAX_CRITERION_ID_CHARACTERS),
            )


def text_within(value: Any, max_characters: int) -> str | None:
    return value[:max_characters] if isinstance(value, str) and value else None


def finite_number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e12 and isfinite(value) else None
