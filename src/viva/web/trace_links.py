"""Addresses within the page of a run: `#turn-3`, `#turn-3-planner`, with the window that shows them."""

import re
from dataclasses import dataclass
from functools import cached_property

from viva.engine.model import Trace, Turn
from viva.web.wording import address, path_part

MAX_ANCHOR_CHARACTERS = 60


@dataclass(frozen=True)
class TraceLinks:
    """Makes the addresses of one trace's page. `query` has what must stay: the chosen analysis, a share token."""

    path: str
    trace: Trace
    query: dict[str, str]
    is_whole: bool  # all turns are on one page

    @cached_property
    def turns(self) -> dict[int, Turn]:
        return {turn.turn_index: turn for turn in self.trace.turns}

    def here(self, **changes: object) -> str:
        return address(self.path, **(self.query | changes))

    def window(self, turn_index: int | None) -> str:
        return "" if self.is_whole or turn_index is None else self.here(turn=turn_index + 1)

    def turn(self, turn_index: int | None, part: int | None = None) -> str:
        """The address of a turn, or of one agent's part in it."""
        if turn_index is None:
            return "#conversation"
        anchor = f"turn-{turn_index + 1}" if part is None else self.anchor(turn_index, part)
        return f"{self.window(turn_index)}#{anchor}"

    def anchor(self, turn_index: int, part: int) -> str:
        turn = self.turns.get(turn_index)
        if turn is None or part >= len(turn.agent_interactions):
            return f"turn-{turn_index + 1}"
        return part_anchor(turn, part)

    def note(self, turn_index: int | None, number: int) -> str:
        return f"{self.window(turn_index)}#note-{number}"

    def path_turn(self, turn_index: int | None, part: int | None = None) -> str:
        """The address of a turn for another page than that of the run."""
        return self.from_elsewhere(self.turn(turn_index, part))

    def path_note(self, turn_index: int | None, number: int) -> str:
        return self.from_elsewhere(self.note(turn_index, number))

    def from_elsewhere(self, link: str) -> str:
        return link if link.startswith("/") else f"{self.here()}{link}"

    def agent(self, agent_id: str) -> str:
        return address(f"{self.path}/agents/{path_part(agent_id)}", **self.query)


def part_anchor(turn: Turn, part: int) -> str:
    """The agent's id as a word; from its second part in a turn on with a number."""
    agent_id = turn.agent_interactions[part].agent_id
    word = re.sub(r"[^\w.-]+", "-", agent_id)[:MAX_ANCHOR_CHARACTERS].strip("-") or "agent"
    earlier = sum(act.agent_id == agent_id for act in turn.agent_interactions[:part])
    return f"turn-{turn.turn_index + 1}-{word}" + (f"-{earlier + 1}" if earlier else "")
