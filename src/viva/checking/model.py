"""What a check finds: differences, each with its subject, and how much was checked."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal

from msgspec import Struct

from viva.kit.db import Database

CheckedSubject = Literal["message", "session", "result", "statement", "key", "event", "checkpoint", "agent", "sum"]


class Discrepancy(Struct, frozen=True):
    """Something that is not as it should be: where, what, and both values if there are two."""

    subject: CheckedSubject
    id: str
    sentence: str
    expected: Any = None
    found: Any = None


class HubCheck:
    """One run over a hub. `advance` is called with the number of rows that were read."""

    def __init__(self, database: Database, advance: Callable[[int], None] = lambda rows: None) -> None:
        self.database = database
        self.advance = advance
        self.counts: Counter[str] = Counter()

    def count(self, name: str, rows: int) -> None:
        self.counts[name] += rows
        self.advance(rows)


Check = Callable[[HubCheck], Iterator[Discrepancy]]
