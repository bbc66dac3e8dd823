"""Needs: which figures an agent needed from the one before it, and whether it was told."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from viva.engine.call_text import flat
from viva.engine.calls.actions import changes, leaves
from viva.engine.reading import Reading, calls, once
from viva.engine.team.constraints import Constraint, constraints
from viva.engine.team.figures import Figure, figures
from viva.engine.team.flow import AgentRun, stretches
from viva.engine.team.speech import asks

Facts = dict[float | str, Figure]
SMALLEST_FACT = 10  # smaller numbers count things, stand in lists, and are met by chance
MAX_LATER = 20  # stretches ahead in which a later deed is looked for
MAX_QUESTION_CHARACTERS = 300  # a longer message that asks something also says something
# How sure a loss is, by what shows it.
SURENESS = {
    "private": 0.3,  # used though untold: the receiver may see more than it was sent
    "looked up": 0.8,
    "guessed": 0.9,
    "asked": 0.8,
    "violated": 0.9,
    "unheeded": 0.7,  # nobody spoke of it, yet it may have been kept by chance
    "unmentioned": 0.4,  # the same of what is only ruled out: most things are not done anyway
}


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


@lru_cache(maxsize=1_024)
def facts(text: str | None) -> Facts:
    """The figures of a text that nobody writes by chance, by their values. Whoever asks shares them."""
    found = figures(text) if text else ()
    return {one.value: one for one in found if isinstance(one.value, str) or one.value >= SMALLEST_FACT}


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


class Loss(NamedTuple):
    """Something needed that was not told: in what way it was missed, and its words."""

    level: str
    text: str


class Needs(NamedTuple):
    """How many needed facts one handoff told, and what it lost."""

    told: int
    lost: list[Loss]


class Handed(NamedTuple):
    """One handing over: which stretch gives, what it and the next are, and the facts that it told, had, and that came next."""

    at: int
    sender: AgentRun
    receiver: AgentRun
    told: Facts
    mine: Facts
    note: Note

    @property
    def turn(self) -> int:
        return self.sender.places[-1].turn


class TeamKnowledge:
    """Who knows what, as the run goes on."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.flow: Dataflow = dataflow(reading)
        self.run = stretches(reading)
        self.by_agent: dict[str, Facts] = {stretch.agent_id: {} for stretch in self.run}
        self.spoken: set[float | str] = set()
        self.missed: set[str] = set()  # constraints that somebody has been blamed for
        self.conditions: dict[int, list[Constraint]] = {}  # of each turn asked about
        self.heeded: dict[int, frozenset[str]] = {}  # the words of its agents and their calls

    def hand_over(self, at: int) -> Handed:
        """The handing over after a stretch, whose agent knows what it said and found."""
        sender, receiver, note = self.run[at], self.run[at + 1], self.flow.notes[at]
        self.by_agent[sender.agent_id].update(note.said | note.found)
        mine = self.flow.asked[sender.places[-1].turn] | self.by_agent[sender.agent_id]
        return Handed(at, sender, receiver, note.passed, mine, self.flow.notes[at + 1])

    def tell(self, one: Handed) -> None:
        """The next agent knows what it was given."""
        self.by_agent[one.receiver.agent_id].update(one.told)
        self.spoken.update(one.told)


def find_needs(known: TeamKnowledge, one: Handed) -> Needs:
    """What the receiver used or had to ask for, and what of the user's conditions nobody heeded."""
    kept = sum(key in one.told for key in one.note.said)
    lost = [*untold(known, one), *guesses(known, one), *asked_for(known, one), *unheeded_conditions(known, one)]
    return Needs(kept, lost)


def untold(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Facts that only the sender knew, and that the receiver used all the same."""
    heard = {*one.told, *known.by_agent[one.receiver.agent_id], *known.flow.asked[one.turn], *known.spoken}
    for key, fact in one.note.said.items():
        if key not in heard and key in known.by_agent[one.sender.agent_id] and known.flow.first[key] >= 0:
            yield Loss("looked up" if key in one.note.looked_up else "private", fact.written)


def guesses(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Facts that the sender knew and kept, where the receiver called a tool with another that nobody had said."""
    new = (key for key in one.note.called if known.flow.first[key] == one.at + 1 and key not in one.note.looked_up)
    invented = {shape(one.note.called[key]) for key in new}
    for key, fact in one.mine.items() if invented else ():
        if shape(fact) in invented and key not in one.told and known.flow.last_called.get(key, -1) <= one.at:
            yield Loss("guessed", fact.written)


def shape(fact: Figure) -> str:
    """The look of a fact: of a code its pattern, of a number its digits or that it has decimals."""
    return fact.look or ("9.9" if fact.value != int(float(fact.value)) else "9" * len(str(int(float(fact.value)))))


def asked_for(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Facts that the receiver asked for, and that the sender, who had known them, gave only then."""
    reply = one.receiver.handed_over
    if not 0 < len(reply) <= MAX_QUESTION_CHARACTERS or one.receiver.has_calls or not asks(reply.lower()):
        return
    again = known.run[one.at + 2] if one.at + 2 < len(known.run) else None
    is_back = again is not None and (again.agent_id, again.places[0].turn) == (one.sender.agent_id, one.turn)
    if is_back and not one.note.passed:  # who brings facts of its own does more than ask
        for key, fact in known.flow.notes[one.at + 2].passed.items():
            if key in one.mine and key not in one.told:
                yield Loss("asked", fact.written)


def unheeded_conditions(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Conditions of the user that were not handed on to an agent who then changed something without them."""
    stems, deeds = known.reading.stems, changing_arguments(one.receiver)
    later = [stretch for stretch in known.run[one.at + 2 : one.at + MAX_LATER] if stretch.places[0].turn == one.turn]
    if not deeds or any(map(changing_arguments, later)):
        return  # the last deed of a turn is the one that the conditions are for
    if one.turn not in known.conditions:
        message = known.reading.trace.turns[one.turn].user_message or ""
        known.conditions[one.turn] = constraints(known.reading, message)
        said = (stems(run.everything) for run in known.run if run.places[0].turn == one.turn)
        known.heeded[one.turn] = frozenset().union(*said)
    told, done = stems(one.sender.handed_over), stems(deeds)
    for condition in known.conditions[one.turn]:
        if condition.unwanted & done and not condition.unwanted & told:
            yield Loss("violated", condition.text)
        elif condition.text not in known.missed and condition.signs.isdisjoint(known.heeded[one.turn]):
            known.missed.add(condition.text)  # only the first who could have told it is to blame
            yield Loss("unheeded" if condition.wanted else "unmentioned", condition.text)


def changing_arguments(stretch: AgentRun) -> str:
    """The arguments of the calls by which a stretch changes something."""
    made = [step.tool_call for place in stretch.places for _, step in calls(place.interaction) if step.tool_call]
    return "\n".join(leaf for call in made if changes(call.tool_name) for leaf in leaves(call.parameters))
