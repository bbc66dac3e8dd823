"""The criteria of a verdict, read from a result's data, which may hold anything."""

from collections.abc import Iterator
from typing import Any, NamedTuple

MOST = 100


class Criterion(NamedTuple):
    text: str
    met: bool | None  # None where nobody judged it
    note: str | None


class Criteria(NamedTuple):
    all: list[Criterion]

    @property
    def met(self) -> list[Criterion]:
        return [criterion for criterion in self.all if criterion.met]

    @property
    def gaps(self) -> list[Criterion]:
        return [criterion for criterion in self.all if criterion.met is False]

    @property
    def unjudged(self) -> list[Criterion]:
        return [criterion for criterion in self.all if criterion.met is None]


def criteria_of(result_data: dict[str, Any] | None, config: dict[str, Any]) -> Criteria:
    """The criteria with their verdicts; one that is named by its id gets its text from the evaluation."""
    texts = {str(row.get("id")): row["text"] for row in rows(config) if isinstance(row.get("text"), str)}
    return Criteria([criterion(row, texts) for row in rows(result_data or {})])


def rows(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    given = data.get("criteria")
    return (row for row in (given[:MOST] if isinstance(given, list) else []) if isinstance(row, dict))


def criterion(row: dict[str, Any], texts: dict[str, str]) -> Criterion:
    name = str(row.get("id", ""))
    met, note = row.get("met"), row.get("note")
    return Criterion(
        str(row.get("text") or texts.get(name) or name or "Unnamed criterion"),
        met if isinstance(met, bool) else None,
        str(note) if note not in (None, "") else None,
    )
