"""Thoughts of a run, each between what was seen before it and what was done after it."""

from typing import NamedTuple

from viva.engine.call_text import flat
from viva.engine.calls.actions import name_words
from viva.engine.calls.failures import text_reports_failure
from viva.engine.model import Step
from viva.engine.reading import Place
from viva.engine.team.figures import Figure, figures
from viva.engine.team.flow import AgentRun, step_text

MAX_THOUGHT_CHARACTERS = 3_000  # of a text compared: thoughts are shorter, and of a dump the head tells enough
MAX_FIGURES_MEANT = 8  # in a thought and in a call; more are a calculation or a program
SMALL_NUMBER = 10  # below which a number may count the points of a list
MAX_DEEDS = 5  # that one thought may lead to


class ReasonedThought(NamedTuple):
    """A thought with what was seen before it and what was done after it: all texts, and the calls among them."""

    place: Place
    step: int
    text: str
    seen: str | None
    failed: bool
    deeds: tuple[str, ...]
    call: Step | None


def last_words(stretch: AgentRun) -> str:
    interaction = stretch.places[-1].interaction
    return interaction.agent_response or (step_text(interaction.agent_steps[-1]) if interaction.agent_steps else "")


def thoughts(stretch: AgentRun, before: str | None) -> list[ReasonedThought]:
    """The thoughts of a stretch, each between what was seen and what was done until the next thought."""
    rows = [(place, k, step) for place in stretch.places for k, step in steps(place)]
    found: list[ReasonedThought] = []
    deeds: list[str] = []
    call: Step | None = None
    closed = False  # whether the deeds at hand have had their thought already
    for at in range(len(rows) - 1, -1, -1):
        place, k, step = rows[at]
        if deed := (place.interaction.agent_response if k < 0 else deed_text(step)):
            call = step if step.tool_call else None if closed else call
            deeds, closed = ([deed] if closed else [deed, *deeds[: MAX_DEEDS - 1]]), False
        if step.thought and step.thought.strip():
            seen, failed = step_result(rows[at - 1][2]) if at else (before, False)
            text = step.thought[:MAX_THOUGHT_CHARACTERS]
            found.append(ReasonedThought(place, k, text, seen, failed, tuple(deeds), call))
            closed = True
    return found[::-1]


def steps(place: Place) -> list[tuple[int, Step]]:
    """The steps of an interaction; its response is the last, numbered -1."""
    rows = list(enumerate(place.interaction.agent_steps))
    return [*rows, (-1, Step())] if (place.interaction.agent_response or "").strip() else rows


def deed_text(step: Step) -> str:
    """What a step does, in words: its action, the tool's name and the values it is called with."""
    call = step.tool_call
    values = " ".join(flat(value)[:MAX_THOUGHT_CHARACTERS] for value in call.parameters.values()) if call else ""
    name = " ".join(name_words(call.tool_name)) if call else ""
    return " ".join(part for part in (step.action, name, values) if part)


def step_result(step: Step) -> tuple[str | None, bool]:
    """What a step brought to see, and whether it failed."""
    call = step.tool_call
    seen = step.observation or (call and (call.error or flat(call.result))) or None
    failed = bool(call and call.error) or text_reports_failure(seen or "")
    return (seen[:MAX_THOUGHT_CHARACTERS] if seen else None), failed


def other_value(thought: ReasonedThought, known: set[float | str]) -> tuple[Figure, Figure] | None:
    """A number or code that the thought has, where the call that follows has another of its kind.

    Only where each has one of the kind, or where nobody had said the one of the thought: otherwise it may speak of another.
    """
    if thought.call is None:
        return None
    mind, done = figures(thought.text), figures(deed_text(thought.call))
    if max(len(mind), len(done)) > MAX_FIGURES_MEANT:
        return None
    ours, theirs = {figure.value for figure in mind}, {figure.value for figure in done}
    for mine in mind:
        kin = [figure for figure in done if figure.look == mine.look and figure.value not in ours]
        if mine.value in theirs or not kin or mine.written in kin[0].written or kin[0].written in mine.written:
            continue
        alone = all(sum(figure.look == mine.look for figure in some) == 1 for some in (mind, done))
        small = isinstance(mine.value, float) and mine.value < SMALL_NUMBER
        if mine.value not in known or (alone and not small):
            return mine, kin[0]
    return None
