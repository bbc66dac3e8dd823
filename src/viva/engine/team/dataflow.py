"""Dataflow: where each fact of a run first appeared, who said it, who found it and who passed it on."""

from typing import Literal, NamedTuple

from viva.engine.evidence import InteractionIndex
from viva.engine.model import Interaction, ToolCall
from viva.engine.reading import Place, Reading, flat
from viva.engine.team.facts import Fact, facts, quotations
from viva.engine.team.flow import passed_text

FactSource = Literal["user", "tool", "agent"]


class Origin(NamedTuple):
    """Where a fact first appeared: in the user's words, in a tool's result or in an agent's own words."""

    source: FactSource
    agent_id: str | None
    where: InteractionIndex | None


class Note(NamedTuple):
    """The facts of one interaction. `said` may hold what was known before; `found` came from a tool."""

    said: dict[str, Fact]
    found: dict[str, Fact]
    passed: dict[str, Fact]
    looked_up: frozenset[str]  # first found, then said, in this interaction
    called: dict[str, Fact]  # said as arguments of a call


class Dataflow(NamedTuple):
    """The facts of a run."""

    first: dict[str, Origin]
    asked: list[dict[str, Fact]]  # for each turn, the facts of the user's message
    notes: dict[InteractionIndex, Note]
    said: set[str]  # by any agent, anywhere in the run


def dataflow(reading: Reading) -> Dataflow:
    """One pass over the run."""
    trace = reading.trace
    asked = [prose(turn.user_message or "") for turn in trace.turns]
    first = {key: Origin("user", None, None) for key in prose(trace.initial_task or "")}
    notes: dict[InteractionIndex, Note] = {}
    said: set[str] = set()
    turn = -1
    for place in reading.places:
        while turn < place.turn:
            turn += 1
            for key in asked[turn]:
                first.setdefault(key, Origin("user", None, None))
        note = notes[place.turn, place.part] = read_facts(place.interaction)
        remember(first, note, place)
        said.update(note.said)
    return Dataflow(first, asked, notes, said)


def remember(first: dict[str, Origin], note: Note, place: Place) -> None:
    """InteractionIndex facts come from that nobody had before."""
    agent_id, where = place.interaction.agent_id, (place.turn, place.part)
    tool, agent = Origin("tool", agent_id, where), Origin("agent", agent_id, where)
    for keys, origin in ((note.looked_up, tool), (note.said, agent), (note.found, tool)):
        for key in keys:
            first.setdefault(key, origin)


class Noting:
    """Takes down the facts of one interaction, in the order in which the agent met them."""

    def __init__(self) -> None:
        self.said: dict[str, Fact] = {}
        self.found: dict[str, Fact] = {}
        self.called: dict[str, Fact] = {}
        self.looked_up: set[str] = set()
        self.kept: dict[str, dict[str, Fact]] = {"": {}}  # what is passed on is mostly a text read before

    def read(self, text: str) -> dict[str, Fact]:
        if text not in self.kept:
            self.kept[text] = facts(text)
        return self.kept[text]

    def says(self, text: str | None) -> None:
        for key, fact in self.read(text or "").items():
            if key in self.found and key not in self.said:
                self.looked_up.add(key)
            self.said.setdefault(key, fact)

    def calls(self, call: ToolCall) -> None:
        arguments = flat(call.parameters)
        self.says(arguments)
        self.called |= self.read(arguments)
        self.found |= self.read(flat(call.result))


def read_facts(interaction: Interaction) -> Note:
    """The facts of an interaction."""
    notes = Noting()
    for step in interaction.agent_steps:
        notes.says(step.thought)
        notes.says(step.action)
        if step.tool_call is not None:
            notes.calls(step.tool_call)
        notes.found |= notes.read(step.observation or "")
    notes.says(interaction.agent_response)
    return Note(notes.said, notes.found, notes.read(passed_text(interaction)), frozenset(notes.looked_up), notes.called)


def prose(text: str) -> dict[str, Fact]:
    """Facts of somebody's own words, with what they quoted."""
    return {**facts(text), **quotations(text)} if text else {}
