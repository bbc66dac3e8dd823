"""Needs: what an agent needed from the one before it, and whether it was told."""

from collections.abc import Iterator
from typing import NamedTuple

from viva.engine.calls.actions import changes, leaves
from viva.engine.reading import Reading, calls
from viva.engine.team.constraints import Constraint, constraints
from viva.engine.team.dataflow import Dataflow, Facts, dataflow
from viva.engine.team.figures import Figure
from viva.engine.team.flow import AgentRun, stretches
from viva.engine.team.speech import asks

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


class Loss(NamedTuple):
    """Something needed that was not told: in what way it was missed, and its words."""

    level: str
    text: str


class Needs(NamedTuple):
    """How many needed facts one handoff told, and what it lost."""

    told: int
    lost: list[Loss]


class Handed(NamedTuple):
    """One handing over: which stretch gives, and what it and the next are."""

    at: int
    sender: AgentRun
    receiver: AgentRun


class TeamKnowledge:
    """Who knows what, as the run goes on."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.flow: Dataflow = dataflow(reading)
        self.run = stretches(reading)
        self.by_agent: dict[str, Facts] = {}
        self.spoken: set[float | str] = set()
        self.missed: set[str] = set()  # constraints that somebody has been blamed for
        self.conditions: dict[int, list[Constraint]] = {}  # of each turn asked about

    def of(self, agent_id: str) -> Facts:
        return self.by_agent.setdefault(agent_id, {})

    def learn(self, at: int) -> None:
        """An agent knows what it said and found."""
        note = self.flow.notes[at]
        self.of(self.run[at].agent_id).update(note.said | note.found)

    def tell(self, at: int) -> None:
        """The next agent knows what it was given."""
        told = self.flow.notes[at].passed
        self.of(self.run[at + 1].agent_id).update(told)
        self.spoken.update(told)


def find_needs(known: TeamKnowledge, one: Handed) -> Needs:
    """What the receiver used or had to ask for, and what of the user's conditions nobody heeded."""
    told = known.flow.notes[one.at].passed
    note = known.flow.notes[one.at + 1]
    kept = sum(key in told for key in note.said)
    lost = [*untold(known, one), *guesses(known, one), *asked_for(known, one), *unheeded_conditions(known, one)]
    return Needs(kept, lost)


def untold(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Facts that only the sender knew, and that the receiver used all the same."""
    sent, own = known.flow.notes[one.at], known.of(one.receiver.agent_id)
    note, asked = known.flow.notes[one.at + 1], known.flow.asked[one.sender.places[-1].turn]
    for key, fact in note.said.items():
        if key in sent.passed or key in own or key in asked or key in known.spoken or known.flow.first[key] < 0:
            continue
        if key in known.of(one.sender.agent_id):
            yield Loss("looked up" if key in note.looked_up else "private", fact.written)


def guesses(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Facts that the sender knew and kept, where the receiver called a tool with another that nobody had said."""
    sent, note = known.flow.notes[one.at].passed, known.flow.notes[one.at + 1]
    invented = {
        shape(fact)
        for key, fact in note.called.items()
        if known.flow.first[key] == one.at + 1 and key not in note.looked_up
    }
    if not invented:
        return
    mine = {**known.flow.asked[one.sender.places[-1].turn], **known.of(one.sender.agent_id)}
    for key, fact in mine.items():
        if shape(fact) in invented and key not in sent and known.flow.last_called.get(key, -1) <= one.at:
            yield Loss("guessed", fact.written)


def shape(fact: Figure) -> str:
    """The look of a fact: of a code its pattern, of a number its digits or that it has decimals."""
    return fact.look or ("9.9" if fact.value != int(float(fact.value)) else "9" * len(str(int(float(fact.value)))))


def asked_for(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Facts that the receiver asked for, and that the sender, who had known them, gave only then."""
    reply = one.receiver.handed_over
    if not 0 < len(reply) <= MAX_QUESTION_CHARACTERS or one.receiver.has_calls or not asks(reply.lower()):
        return
    if known.flow.notes[one.at + 1].passed:  # who brings facts of its own does more than ask
        return
    again = known.run[one.at + 2] if one.at + 2 < len(known.run) else None
    if again is None or again.agent_id != one.sender.agent_id or again.places[0].turn != one.sender.places[-1].turn:
        return
    before = {**known.flow.asked[one.sender.places[-1].turn], **known.of(one.sender.agent_id)}
    sent = known.flow.notes[one.at].passed
    for key, fact in known.flow.notes[one.at + 2].passed.items():
        if key in before and key not in sent:
            yield Loss("asked", fact.written)


def unheeded_conditions(known: TeamKnowledge, one: Handed) -> Iterator[Loss]:
    """Conditions of the user that were not handed on to an agent who then changed something without them."""
    turn = one.sender.places[-1].turn
    deeds = changing_arguments(one.receiver)
    if not deeds or any(
        later.places[0].turn == turn and changing_arguments(later)
        for later in known.run[one.at + 2 : one.at + MAX_LATER]
    ):
        return  # the last deed of a turn is the one that the conditions are for
    if turn not in known.conditions:
        known.conditions[turn] = constraints(known.reading, known.reading.trace.turns[turn].user_message or "")
    for one_of in known.conditions[turn]:
        told, done = known.reading.stems(one.sender.handed_over), known.reading.stems(deeds)
        if one_of.unwanted & done and not one_of.unwanted & told:
            yield Loss("violated", one_of.text)
        elif one_of.text not in known.missed and not is_heeded(known, one_of, turn):
            known.missed.add(one_of.text)  # only the first who could have told it is to blame
            yield Loss("unheeded" if one_of.wanted else "unmentioned", one_of.text)


def is_heeded(known: TeamKnowledge, condition: Constraint, turn: int) -> bool:
    """Whether any agent spoke of a condition, or called a tool with it, in this turn."""
    for stretch in known.run:
        if stretch.places[0].turn == turn and not condition.signs.isdisjoint(known.reading.stems(stretch.everything)):
            return True
    return False


def changing_arguments(stretch: AgentRun) -> str:
    """The arguments of the calls by which a stretch changes something."""
    found = []
    for place in stretch.places:
        for _, step in calls(place.interaction):
            if step.tool_call is not None and changes(step.tool_call.tool_name):
                found += leaves(step.tool_call.parameters)
    return "\n".join(found)
