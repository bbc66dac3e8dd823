"""The moves of a run: every call, observation and text in order, with what failed and what had been there before."""

from collections import deque
from typing import NamedTuple

from viva.engine.call_text import call_text, came_back, flat
from viva.engine.calls.actions import changes, leaves
from viva.engine.calls.failures import call_failed, text_reports_failure
from viva.engine.calls.troubles import is_waiting
from viva.engine.evidence import Evidence, cut
from viva.engine.model import Step, ToolCall
from viva.engine.reading import MAX_TEXT_CHARACTERS, Place, Reading, once
from viva.engine.text.words import overlap

MAX_MOVES = 2_000  # from the start; a longer run has shown its course by then
COMPARED = 600  # characters of a text or an outcome that are compared
SUBSTANCE = 6  # content words; "Thank you!" may be said twice
SAME = 0.9  # share of words in common that makes two texts the same
MEMORY = 8  # texts back that an agent may be repeating


class Move(NamedTuple):
    """One thing done. `before` is the number of the earlier move that it merely repeats."""

    place: Place
    step: int | None
    tool: str
    text: str
    deed: float
    broke: bool
    before: int | None
    values: frozenset[str] = frozenset()

    @property
    def agent_id(self) -> str:
        return self.place.interaction.agent_id

    def evidence(self, reading: Reading, why: str) -> Evidence:
        return Evidence(why, cut(self.text), reading.turn_index(self.place.turn), self.place.part, self.step)


class EarlierCall(NamedTuple):
    """A call that was made before: the first time, what came back last, and the deeds, successes and retries by then."""

    first: int
    outcome: str | None
    deeds: int = -1
    successes: int = -1
    retries: int = 0


class MoveMemory:
    """What was done so far, to tell a repetition from something new."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.moves: list[Move] = []
        self.calls: dict[tuple[str, str, str], EarlierCall] = {}
        self.texts: dict[str, deque[tuple[int, frozenset[str]]]] = {}
        self.deeds = self.successes = 0

    def add_step(self, place: Place, k: int, step: Step) -> None:
        """Take up one step: its call, else what it saw or thought."""
        if step.tool_call:
            self.add_call(place, k, step.tool_call)
        elif text := step.observation or step.action or step.thought:
            self.add_text(place, k, text, bool(step.observation))

    def add_call(self, place: Place, k: int, call: ToolCall) -> None:
        broke, deed = call_failed(call), changes(call.tool_name)
        before = self.find_earlier_call(place.interaction.agent_id, call, deed, broke)
        values = frozenset(leaf[:80].lower() for leaf in leaves(call.parameters)[:20])
        self.moves.append(Move(place, k, call.tool_name, call_text(call), deed, broke, before, values))

    def add_text(self, place: Place, k: int | None, text: str, seen: bool = False) -> None:
        broke = seen and text_reports_failure(text[:MAX_TEXT_CHARACTERS])
        before = self.find_earlier_text(place.interaction.agent_id, text)
        self.moves.append(Move(place, k, "", text[:COMPARED], 0.0, broke, before))

    def find_earlier_call(self, agent_id: str, call: ToolCall, deed: float, broke: bool) -> int | None:
        """The earlier call that this one repeats: same arguments, same outcome, and no deed between that could matter.

        One retry of a failed call is none, and neither is asking whether something is done yet.
        """
        key = (agent_id, call.tool_name, flat(call.parameters))
        outcome = came_back(call)[:COMPARED]
        earlier = self.calls.get(key, EarlierCall(len(self.moves), None))
        is_retry = broke and earlier.outcome == outcome and earlier.successes == self.successes
        retries = earlier.retries + 1 if is_retry else 0
        self.calls[key] = EarlierCall(earlier.first, outcome, self.deeds, self.successes, retries)
        self.deeds += deed >= 0.5 and not broke
        self.successes += not broke
        if earlier.outcome != outcome or retries == 1 or is_waiting(call):
            return None
        return earlier.first if earlier.deeds == self.deeds or broke or deed >= 0.5 else None

    def find_earlier_text(self, agent_id: str, text: str) -> int | None:
        words = self.reading.stems(text[:COMPARED])
        if len(words) < SUBSTANCE:
            return None
        kept = self.texts.setdefault(agent_id, deque(maxlen=MEMORY))
        same = next((n for n, other in kept if overlap(words, other) >= SAME), None)
        kept.append((len(self.moves), words))
        return same


@once
def moves(reading: Reading) -> list[Move]:
    memory = MoveMemory(reading)
    for place in reading.places:
        for k, step in enumerate(place.interaction.agent_steps):
            memory.add_step(place, k, step)
        if place.interaction.agent_response:
            memory.add_text(place, None, place.interaction.agent_response)
        if len(memory.moves) >= MAX_MOVES:
            break
    return memory.moves
