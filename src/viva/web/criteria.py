"""Read the criteria of a verdict from a result's data. The data may have any form."""

from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

from viva.web.wording import words, written_answer

MAX_CRITERIA_SHOWN = 200
MAX_QUESTIONS_READ = 1_000  # of an evaluation
MAX_MARKERS_SHOWN = 20
MAX_QUOTES_SHOWN = 5
MAX_PROMPT_ID_CHARACTERS = 100


class OneMark(NamedTuple):
    """The mark of one of several markers. None if the marker gave no valid mark."""

    marker: str
    mark: float | None
    reason: str | None


class ShownCriterion(NamedTuple):
    text: str
    met: bool | None  # None if nobody judged it
    note: str | None
    mark: float | None = None
    most: float | None = None
    evidence: str | None = None  # the quoted words that support the mark
    given: tuple[OneMark, ...] = ()
    instructions: tuple[str, ...] | None = None  # to the judge, in the answer; () if the viewer may not read them
    id: str = ""
    prompt_id: str | None = None
    answer: str | None = None  # the evidence, if it is the answer itself


class ShownCriteria(NamedTuple):
    all: list[ShownCriterion]

    @property
    def met_criteria(self) -> list[ShownCriterion]:
        return [criterion for criterion in self.all if criterion.met]

    @property
    def gaps(self) -> list[ShownCriterion]:
        return [criterion for criterion in self.all if criterion.met is False]

    @property
    def unjudged_criteria(self) -> list[ShownCriterion]:
        return [criterion for criterion in self.all if criterion.met is None]

    def of_prompt(self, prompt_id: str) -> "ShownCriteria":
        return ShownCriteria([criterion for criterion in self.all if criterion.prompt_id == prompt_id])

    @property
    def prompts(self) -> list[str]:
        """The ids of the prompts that have criteria, without duplicates."""
        return list(dict.fromkeys(criterion.prompt_id for criterion in self.all if criterion.prompt_id))


def criteria_of(result_data: dict[str, Any] | None, config: dict[str, Any]) -> ShownCriteria:
    """Read the criteria. A criterion without a text gets it from the evaluation by its id."""
    texts = {str(row.get("id")): row["text"] for row in rows(config) if isinstance(row.get("text"), str)}
    kinds = {str(row.get("id")): str(row.get("kind")) for row in dicts_in(config.get("questions"), MAX_QUESTIONS_READ)}
    data = result_data or {}
    injections = dicts_in(data.get("injections"), MAX_CRITERIA_SHOWN)
    instructions = {str(found.get("row_id")): quotes_in(found) for found in injections}
    return ShownCriteria([criterion(row, texts, kinds, instructions) for row in rows(data)])


def rows(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return dicts_in(data.get("criteria"), MAX_CRITERIA_SHOWN)


def dicts_in(value: Any, limit: int) -> Iterator[dict[str, Any]]:
    return (row for row in (value[:limit] if isinstance(value, list) else []) if isinstance(row, dict))


def criterion(
    row: dict[str, Any], texts: dict[str, str], kinds: dict[str, str], instructions: dict[str, tuple[str, ...]]
) -> ShownCriterion:
    name = str(row.get("id", ""))
    met, prompt_id = row.get("met"), row.get("prompt_id")
    marks = list(dicts_in(row.get("marks"), MAX_MARKERS_SHOWN))
    evidence = text_of(row.get("evidence"))
    return ShownCriterion(
        text=str(row.get("text") or texts.get(name) or name_in_words(name) or "Unnamed criterion"),
        met=met if isinstance(met, bool) else None,
        note=text_of(row.get("note", row.get("reason"))),
        mark=number(row.get("mark")),
        most=number(row.get("max")),
        evidence=evidence,
        answer=written_answer(evidence, kinds.get(name, "")) if evidence else None,
        given=given_in(marks) if len(marks) > 1 else (),
        instructions=instructions.get(name),
        id=name,
        prompt_id=prompt_id if isinstance(prompt_id, str) and len(prompt_id) <= MAX_PROMPT_ID_CHARACTERS else None,
    )


def name_in_words(criterion_id: str) -> str:
    """`planted-order-2` as Planted order 2; of class work `group/one-plan` as Group: one plan, `2/one-plan` as Own part: one plan."""
    part, _, name = criterion_id.rpartition("/")
    if not part:
        return words(name)
    return f"{'Group' if part == 'group' else 'Own part'}: {words(name).lower()}"


def given_in(marks: list[dict[str, Any]]) -> tuple[OneMark, ...]:
    return tuple(
        OneMark(str(mark.get("marker", "")), number(mark.get("mark")), text_of(mark.get("reason"))) for mark in marks
    )


def quotes_in(injection: dict[str, Any]) -> tuple[str, ...]:
    quotes = injection.get("quotes")
    shown = quotes[:MAX_QUOTES_SHOWN] if isinstance(quotes, list) else []
    return tuple(quote for quote in shown if isinstance(quote, str))


def text_of(value: Any) -> str | None:
    return str(value) if value not in (None, "") else None


def number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e12 and isfinite(value) else None
