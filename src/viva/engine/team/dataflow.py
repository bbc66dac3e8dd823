"""Dataflow: which figures each stretch of a run said, found, passed on and called tools with."""

from typing import NamedTuple

from viva.engine.call_text import flat
from viva.engine.reading import Reading, once
from viva.engine.team.figures import Figure, figures
from viva.engine.team.flow import AgentRun, stretches

Facts = dict[float | str, Figure]
SMALLEST_FACT = 10  # smaller numbers count things, stand in lists, and are met by chance


class Note(NamedTuple):
    """The facts of one stretch. `found` came from tools; `looked_up` was found before it was said."""

    said: Facts
    found: Facts
    passed: Facts
    called: Facts
    looked_up: frozenset[float | str]


class Dataflow(NamedTuple):
    """The facts of a run: of each turn's user message, and of each stretch in its order."""

    asked: list[Facts]
    notes: list[Note]
    first: dict[float | str, int]  # the stretch in which each fact came up, or -1 if the user had said it
    last_called: dict[float | str, int]  # the last stretch that called a tool with it


def facts(text: str | None) -> Facts:
    """The figures of a text that nobody writes by chance, by their values."""
    return {
        figure.value: figure
        for figure in (figures(text) if text else ())
        if isinstance(figure.value, str) or figure.value >= SMALLEST_FACT
    }


@once
def dataflow(reading: Reading) -> Dataflow:
    """One pass over the run."""
    asked = [facts(turn.user_message) for turn in reading.trace.turns]
    first = dict.fromkeys(facts(reading.trace.initial_task), -1)
    notes: list[Note] = []
    last_called: dict[float | str, int] = {}
    turn = -1
    for n, stretch in enumerate(stretches(reading)):
        while turn < stretch.places[0].turn:
            turn += 1
            first |= {key: -1 for key in asked[turn] if key not in first}
        note = read_facts(stretch)
        notes.append(note)
        for key in (*note.said, *note.found):
            first.setdefault(key, n)
        last_called |= dict.fromkeys(note.called, n)
    return Dataflow(asked, notes, first, last_called)


def read_facts(stretch: AgentRun) -> Note:
    """The facts of a stretch, in the order in which the agent met them."""
    said: Facts = {}
    found: Facts = {}
    called: Facts = {}
    looked_up: set[float | str] = set()

    def say(text: str | None) -> Facts:
        new = facts(text)
        looked_up.update(key for key in new if key in found and key not in said)
        for key, fact in new.items():
            said.setdefault(key, fact)
        return new

    for place in stretch.places:
        for step in place.interaction.agent_steps:
            say(step.thought)
            say(step.action)
            if step.tool_call is not None:
                called |= say(flat(step.tool_call.parameters))
                found |= facts(flat(step.tool_call.result))
            found |= facts(step.observation)
        say(place.interaction.agent_response)
    return Note(said, found, facts(stretch.handed_over), called, frozenset(looked_up))
