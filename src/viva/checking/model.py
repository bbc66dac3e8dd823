"""A check of a hub: how much of it was read, and what differs."""

from collections import Counter
from collections.abc import Callable, Iterator

from viva.kit.db import Database
from viva.results.discrepancy import Discrepancy


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
