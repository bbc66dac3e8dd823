"""How far an analysis is, in turns. It changes nothing in the analysis, and it knows no clock."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

# An analysis goes through all turns several times. Each pass has its share of the time, measured on runs of 10 to 2,000
# turns. The measures come last, each as one step.
PASS_SHARES = {"rdm": 0.05, "ccm": 0.2, "tellings": 0.35, "hallucination": 0.1, "measures": 0.3}


class TurnProgress:
    """Counts the turns that are done: the share of all passes, as a number of turns. `report` gets each new number."""

    def __init__(self, turns: int, report: Callable[[int], None]) -> None:
        self.turns = turns
        self.report = report
        self.turns_done = 0
        self.shares_done = dict.fromkeys(PASS_SHARES, 0.0)

    def advance(self, name: str, share: float) -> None:
        """Note how much of a pass is done, from 0 to 1."""
        self.shares_done[name] = share
        done = int(self.turns * sum(PASS_SHARES[each] * part for each, part in self.shares_done.items()))
        if done > self.turns_done:
            self.turns_done = done
            self.report(done)

    def follow(self, name: str, items: Sequence[T]) -> Iterator[T]:
        """The same items. Each counts as done when the next one is asked for."""
        for position, item in enumerate(items, 1):
            yield item
            self.advance(name, position / len(items))
