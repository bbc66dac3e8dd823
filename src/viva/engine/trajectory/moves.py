"""The moves of a run: every call, observation and text in order, with what failed and what had been there before."""

from collections import deque
from typing import NamedTuple

from viva.engine.call_text import call_text, came_back, flat
from viva.engine.calls.actions import changes, leaves
from viva.engine.calls.failures import call_failed, text_reports_failure
from viva.engine.calls.troubles import is_waiting
from viva.engine.goals.goal import content_stems
from viva.engine.model import Step, ToolCall
from viva.engine.reading import MAX_TEXT_CHARACTERS, Place, Reading, once

MOVES = 2_000  # moves looked at, from the start; a longer run has shown its course by then
LOOK = 600  # characters of a text that are compared
SUBSTANCE = 6  # content words; "Thank you!" may be said twice
SAME = 0.9  # share of words in common that makes two texts the same
NEW = 0.05  # share of words never used before, up to which a text brings nothing
MEMORY = 8  # texts back that an agent may be repeating
RETRIES = 1  # times that a failing call may be made again before it is a loop


class Move(NamedTuple):
    """One thing done. `before` is the number of the earlier move that it merely repeats; a stale text has no new words."""

    place: Place
    step: int | None
    agent_id: str
    tool: str
    text: str
    deed: float
    broke: bool
    before: int | None
    stale: bool = False
    values: frozenset[str] = frozenset()


class EarlierCall(NamedTuple):
    """A call that was made before: the first time, what came back last, and the deeds, successes and retries by then."""

    first: int
    outcome: str | None
    deeds: int = -1
    successes: int = -1
    retries: int = 0


class MoveMemory:
    """What was done so far, to tell a repetition from something new."""

    def __init__(self) -> None:
        self.calls: dict[tuple[str, str, str], EarlierCall] = {}
        self.texts: dict[str, deque[tuple[int, frozenset[str]]]] = {}
        self.words: set[str] = set()
        self.deeds = self.successes = 0

    def call(self, number: int, agent_id: str, call: ToolCall, deed: float, broke: bool) -> int | None:
        """The earlier call that this one repeats: same arguments, same outcome, and no deed between that could matter.

        One retry of a failed call is none, and neither is asking whether something is done yet.
        """
        key = (agent_id, call.tool_name, flat(call.parameters))
        outcome = came_back(call)[:LOOK]
        earlier = self.calls.get(key, EarlierCall(number, None))
        is_retry = broke and earlier.outcome == outcome and earlier.successes == self.successes
        retries = earlier.retries + 1 if is_retry else 0
        self.calls[key] = EarlierCall(earlier.first, outcome, self.deeds, self.successes, retries)
        self.deeds += deed >= 0.5 and not broke
        self.successes += not broke
        if earlier.outcome != outcome or 0 < retries <= RETRIES or is_waiting(call):
            return None
        return earlier.first if earlier.deeds == self.deeds or broke or deed >= 0.5 else None

    def find_earlier(self, number: int, agent_id: str, text: str) -> tuple[int | None, bool]:
        """The earlier text of this agent that says the same, and whether every word was heard before."""
        words = content_stems(text[:LOOK])
        if len(words) < SUBSTANCE:
            return None, False
        kept = self.texts.setdefault(agent_id, deque(maxlen=MEMORY))
        same = next((n for n, other in kept if len(words & other) >= SAME * len(words | other)), None)
        kept.append((number, words))
        stale = len(words - self.words) <= NEW * len(words)
        self.words |= words
        return same, stale


@once
def moves(reading: Reading) -> list[Move]:
    """Everything that was done, in its order."""
    found: list[Move] = []
    memory = MoveMemory()
    for place in reading.places:
        for k, step in enumerate(place.interaction.agent_steps):
            found.extend(moves_of_step(place, k, step, memory, len(found)))
        if place.interaction.agent_response:
            found.append(text_move(place, None, place.interaction.agent_response, memory, len(found)))
        if len(found) >= MOVES:
            break
    return found


def moves_of_step(place: Place, k: int, step: Step, memory: MoveMemory, number: int) -> list[Move]:
    """The move of one step: its call, else what it saw or thought."""
    if step.tool_call:
        return [call_move(place, k, step.tool_call, memory, number)]
    text = step.observation or step.action or step.thought
    return [text_move(place, k, text, memory, number, bool(step.observation))] if text else []


def call_move(place: Place, k: int, call: ToolCall, memory: MoveMemory, number: int) -> Move:
    agent_id, broke, deed = place.interaction.agent_id, call_failed(call), changes(call.tool_name)
    before = memory.call(number, agent_id, call, deed, broke)
    values = frozenset(leaf[:80].lower() for leaf in leaves(call.parameters)[:20])
    return Move(place, k, agent_id, call.tool_name, call_text(call), deed, broke, before, False, values)


def text_move(place: Place, k: int | None, text: str, memory: MoveMemory, number: int, seen: bool = False) -> Move:
    agent_id = place.interaction.agent_id
    broke = seen and text_reports_failure(text[:MAX_TEXT_CHARACTERS])
    before, stale = memory.find_earlier(number, agent_id, text)
    return Move(place, k, agent_id, "", text[:LOOK], 0.0, broke, before, stale and not seen)
