"""Task completion: was the user's goal reached? Read from how the run ends, what it changed and what it left open."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from viva.engine.evidence import Evidence, Score, cut
from viva.engine.logistic import head
from viva.engine.outcome import conversation, discussion, task_oriented
from viva.engine.outcome.signs import Sign, against, probability
from viva.engine.reading import Reading, answer

REACHED = 0.5  # the heads are fitted to even odds, so that this is the place to cut


class Completion(msgspec.Struct, frozen=True):
    """Whether the goal was reached, and how probable that is. Both are None when there is nothing to judge."""

    task_completion: bool | None = None
    score: Score = Score()


class EvidenceKind(NamedTuple):
    """A kind of evidence: its head, what is read from the trace, and what each sign means."""

    head: str
    signs: Callable[[Reading], list[Sign]]
    why: dict[str, str]


CONVERSATION = EvidenceKind("completion_conversation", conversation.signs, conversation.WHY)
DISCUSSION = EvidenceKind("completion_discussion", discussion.signs, discussion.WHY)
ERRAND = EvidenceKind("completion_errand", task_oriented.signs, task_oriented.WHY)


def measure(reading: Reading) -> Completion:
    """The probability that the user's goal was reached. What the trace itself says about its success is believed."""
    if reading.trace.success is not None:
        return stated_completion(reading)
    if not has_goal(reading):
        return Completion()
    if not has_answer(reading):
        nothing = Evidence("No agent answered or did anything", turn_index=reading.turn_index(-1))
        return Completion(False, Score(0.0, (nothing,)))

    kind = kind_of(reading)
    signs = kind.signs(reading)
    value = probability(head(kind.head), signs)
    turns = [turn.turn_index for turn in reading.trace.turns]
    evidence = against(head(kind.head), signs, kind.why, turns) or (no_failure_evidence(reading),)
    return Completion(value >= REACHED, Score(value, evidence))


def stated_completion(reading: Reading) -> Completion:
    """What a trace says of itself stands in none of its turns, and is placed at its end like all that is true of the whole."""
    success = bool(reading.trace.success)
    end = reading.turn_index(-1) if reading.trace.turns else None
    evidence = Evidence(f"The trace states that it {'succeeded' if success else 'failed'}", turn_index=end)
    return Completion(success, Score(float(success), (evidence,)))


def has_goal(reading: Reading) -> bool:
    """Whether there is a goal, and an agent who had a part in it; otherwise there is nothing to judge."""
    trace = reading.trace
    return bool(reading.places) and bool(trace.initial_task or any(turn.user_message for turn in trace.turns))


def has_answer(reading: Reading) -> bool:
    """Whether any agent said or did something."""
    return any(place.interaction.agent_response or place.interaction.agent_steps for place in reading.places)


def kind_of(reading: Reading) -> EvidenceKind:
    """Which evidence a trace holds: several turns, agents who only talk, or work for one request."""
    if len(reading.trace.turns) > 1:
        return CONVERSATION
    called = any(step.tool_call for place in reading.places for step in place.interaction.agent_steps)
    return ERRAND if called or len(reading.places) == 1 else DISCUSSION


def no_failure_evidence(reading: Reading) -> Evidence:
    """What a score below 1 rests on when no sign of failure was found: the end of the run, and no more."""
    last = reading.trace.turns[-1]
    return Evidence(
        "No sign of failure was found; nothing but the run itself proves success", cut(answer(last)), last.turn_index
    )
