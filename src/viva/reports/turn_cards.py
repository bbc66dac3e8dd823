"""The picture of a run: a card for each turn, with the score of each agent in it."""

from collections.abc import Iterable
from typing import NamedTuple

from viva.engine.analysis import TurnResult

MAX_CARD_AGENTS = 8  # the rest is only counted
MAX_CARD_CHARACTERS = 120  # of the user's message


class TurnCard(NamedTuple):
    """One turn. `message` is None if only the analysis is known, not the trace."""

    turn: TurnResult
    message: str | None = None
    agents_shown: int = MAX_CARD_AGENTS

    @property
    def more(self) -> int:
        return max(0, len(self.turn.interactions) - self.agents_shown)


def cards_of(turns: Iterable[TurnResult]) -> list[TurnCard]:
    return [TurnCard(turn) for turn in turns]
