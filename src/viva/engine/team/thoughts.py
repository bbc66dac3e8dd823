"""Thoughts of a run, each between what was seen before it and what was done after it."""

from typing import NamedTuple

from viva.engine.model import Step
from viva.engine.reading import Place, flat
from viva.engine.team.flow import AgentRun, step_text
from viva.engine.team.speech import is_error

LOOK = 3_000  # characters of a text compared: thoughts are shorter, and of a dump the head tells enough
DEEDS = 5  # that one thought may lead to


class ReasonedThought(NamedTuple):
    """A thought with what was seen before it and what was done after it."""

    place: Place
    step: int
    text: str
    seen: str | None
    failed: bool
    deeds: tuple[str, ...]


def last_words(stretch: AgentRun) -> str:
    """What the next agent saw last."""
    interaction = stretch.places[-1].interaction
    return interaction.agent_response or (step_text(interaction.agent_steps[-1]) if interaction.agent_steps else "")


def thoughts(stretch: AgentRun, before: str | None) -> list[ReasonedThought]:
    """The thoughts of a stretch, each between what was seen and what was done until the next thought."""
    rows = [(place, k, step) for place in stretch.places for k, step in steps(place)]
    found: list[ReasonedThought] = []
    deeds: list[str] = []
    closed = False  # whether the deeds at hand have had their thought already
    for at in range(len(rows) - 1, -1, -1):
        place, k, step = rows[at]
        if deed := (place.interaction.agent_response if k < 0 else deed_text(step)):
            deeds, closed = ([deed] if closed else [deed, *deeds[: DEEDS - 1]]), False
        if step.thought and step.thought.strip():
            seen, failed = step_result(rows[at - 1][2]) if at else (before, False)
            found.append(ReasonedThought(place, k, step.thought[:LOOK], seen, failed, tuple(deeds)))
            closed = True
    return found[::-1]


def steps(place: Place) -> list[tuple[int, Step]]:
    """The steps of an interaction; its response is the last, numbered -1."""
    rows = list(enumerate(place.interaction.agent_steps))
    return [*rows, (-1, Step())] if (place.interaction.agent_response or "").strip() else rows


def deed_text(step: Step) -> str:
    """What a step does, in words: its action, the tool's name and the values it is called with."""
    call = step.tool_call
    values = " ".join(flat(value)[:LOOK] for value in call.parameters.values()) if call else ""
    name = call.tool_name.replace("_", " ") if call else ""
    return " ".join(part for part in (step.action, name, values) if part)


def step_result(step: Step) -> tuple[str | None, bool]:
    """What a step brought to see, and whether it failed."""
    call = step.tool_call
    seen = step.observation or (call and (call.error or flat(call.result))) or None
    failed = bool(call and call.error) or is_error(seen)
    return (seen[:LOOK] if seen else None), failed
