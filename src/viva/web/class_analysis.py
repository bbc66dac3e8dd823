"""What the engine found in the conversation of a class, in the form that the page shows.

Scores are not shown: the marks of people count, and a score beside them would praise or blame on its own."""

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from viva.engine.precision import mark_unsure
from viva.engine.wording import CLASS_CASES


class Piece(Struct, frozen=True):
    """One piece of evidence: the explanation and the quoted words."""

    why: str
    quote: str | None = None


class StoredClassAnalysis(Struct, frozen=True):
    """The part of a stored analysis that the page shows."""

    coordination: dict[str, object] = {}


class CoordinationCase(NamedTuple):
    kind: str
    pieces: list[Piece]


def read_class_cases(analysis: dict[str, Any] | None) -> list[CoordinationCase] | None:
    """None if there is no analysis, or if an older version stored it in another form."""
    try:
        stored = msgspec.convert(analysis, StoredClassAnalysis | None)
        if stored is None:
            return None
        found = {kind: msgspec.convert(stored.coordination.get(kind, []), list[Piece]) for kind in CLASS_CASES}
    except msgspec.ValidationError:
        return None
    return [CoordinationCase(mark_unsure(kind, CLASS_CASES[kind]), pieces) for kind, pieces in found.items() if pieces]
