"""Windows of a run: the turns that one page shows, so that a run of thousands of turns stays quick."""

from typing import NamedTuple

from viva.engine.model import Trace

TURNS_PER_WINDOW = 20
PARTS_PER_WINDOW = 40  # interactions; a turn with more has a window of its own


class TurnWindow(NamedTuple):
    """The positions of the turns on one page."""

    start: int
    end: int
    total: int

    @property
    def is_whole(self) -> bool:
        return self.start == 0 and self.end == self.total

    @property
    def has_earlier(self) -> bool:
        return self.start > 0

    @property
    def has_later(self) -> bool:
        return self.end < self.total


def window_at(trace: Trace, turn_number: int) -> TurnWindow:
    """The window with the turn that people call by this number; the first if there is no such turn."""
    position = next((t for t, turn in enumerate(trace.turns) if turn.turn_index + 1 == turn_number), 0)
    start = parts = 0
    for t, turn in enumerate(trace.turns):
        count = len(turn.agent_interactions)
        if t > start and (t - start >= TURNS_PER_WINDOW or parts + count > PARTS_PER_WINDOW):
            if position < t:
                return TurnWindow(start, t, len(trace.turns))
            start, parts = t, 0
        parts += count
    return TurnWindow(start, len(trace.turns), len(trace.turns))
