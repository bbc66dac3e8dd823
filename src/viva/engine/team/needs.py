"""Needs: the facts an agent needed from the one before it, and whether it was told them."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from viva.engine.reading import MAX_TEXT_CHARACTERS, Reading
from viva.engine.team.dataflow import Dataflow
from viva.engine.team.facts import KINDS, Fact
from viva.engine.team.flow import AgentRun
from viva.engine.text.sentences import sentences

# How much a needed fact counts, by where else the receiver could have it from.
ELSEWHERE = {
    "private": 1.0,  # only the sender saw it: not told is lost
    "looked up": 1.0,  # the receiver had to find it a second time
    "guessed": 1.0,  # the receiver put another of its kind in its place, which nobody had said
    "dropped": 0.5,  # in the user's words, about this very work, and no agent ever spoke of it
    "spoken": 0.1,  # said earlier to somebody else: the receiver saw it all the same, but nobody saw to that
    "user": 0.1,  # in the user's words: the same
    "reminded": 0.3,  # the receiver knew it before and was told all the same: no loss possible, but good practice
}
BY_CHANCE = frozenset({"name", "count"})  # kinds that two agents may write without one having told the other
LETTERS, DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d")
UNLIKELY = 3  # signs of a fact that two agents do not write by chance
SAME_WORK = 2  # words that a sentence of the user shares with the message when both are about one piece of work


class Need(NamedTuple):
    """One needed fact and whether it was told."""

    fact: Fact
    level: str
    told: bool

    @property
    def weight(self) -> float:
        return KINDS[self.fact.kind] * ELSEWHERE[self.level]


class TeamKnowledge:
    """Who knows what, as the run goes on."""

    def __init__(self, flow: Dataflow) -> None:
        self.flow = flow
        self.by_agent: dict[str, set[str]] = {}
        self.spoken: set[str] = set()
        self.missed: set[tuple[int, str]] = set()
        self.sentences: dict[int, list[str]] = {}  # of the user's message, for the turns that were asked about
        self.shapes: dict[tuple[str, str], Fact] = {}  # the last identifier of each shape that an agent came to know

    def of(self, agent_id: str) -> set[str]:
        return self.by_agent.setdefault(agent_id, set())

    def learn(self, stretch: AgentRun) -> None:
        """An agent knows what it said and found."""
        for place in stretch.places:
            note = self.flow.notes[place[:2]]
            self.of(stretch.agent_id).update(note.said, note.found)
            self.keep_shapes(stretch.agent_id, (note.said, note.found))

    def tell(self, sender: AgentRun, receiver: AgentRun) -> None:
        """The receiver knows what it was given."""
        told = told_facts(self.flow, sender)
        self.of(receiver.agent_id).update(told)
        self.spoken.update(told)
        self.keep_shapes(receiver.agent_id, (self.flow.notes[place[:2]].passed for place in sender.places))

    def keep_shapes(self, agent_id: str, tables: Iterable[dict[str, Fact]]) -> None:
        for fact in (fact for table in tables for fact in table.values() if fact.kind == "identifier"):
            self.shapes[agent_id, shape(fact.key)] = fact


def told_facts(flow: Dataflow, sender: AgentRun) -> set[str]:
    return set().union(*(flow.notes[place[:2]].passed for place in sender.places))


def find_needs(reading: Reading, known: TeamKnowledge, sender: AgentRun, receiver: AgentRun) -> list[Need]:
    """The facts that the receiver used, or that the user gave for this work, and that the sender had."""
    turn = sender.places[-1].turn
    told, own = told_facts(known.flow, sender), known.of(receiver.agent_id)
    needs: dict[str, Need] = {}
    for key, fact, again in used_facts(known.flow, receiver):
        if key in needs or (again and key in told):
            continue
        if key not in own:
            level = where_else(known, sender, turn, fact, again)
        else:
            level = "reminded" if key in told and fact.kind not in BY_CHANCE else None
        if level is not None:
            needs[key] = Need(fact, level, key in told)
    for fact in guessed_facts(known, sender, receiver, told):
        needs[fact.key] = Need(fact, "guessed", False)
    for fact in dropped_facts(reading, known, turn, sender.handed_over):
        needs.setdefault(fact.key, Need(fact, "dropped", False))
    return list(needs.values())


def used_facts(flow: Dataflow, receiver: AgentRun) -> list[tuple[str, Fact, bool]]:
    """What the receiver said, each with whether it had found it for itself before."""
    found: set[str] = set()
    rows: list[tuple[str, Fact, bool]] = []
    for place in receiver.places:
        note = flow.notes[place[:2]]
        rows += [(key, fact, key in note.looked_up or key in found) for key, fact in note.said.items()]
        found.update(note.found)
    return rows


def guessed_facts(known: TeamKnowledge, sender: AgentRun, receiver: AgentRun, told: set[str]) -> Iterator[Fact]:
    """What the sender knew and kept, where the receiver called a tool with something like it that nobody had said."""
    for place in receiver.places:
        for fact in known.flow.notes[place[:2]].called.values():
            origin = known.flow.first[fact.key]
            if fact.kind == "identifier" and (origin.source, origin.where) == ("agent", place[:2]):
                right = known.shapes.get((sender.agent_id, shape(fact.key)))
                if right is not None and right.key not in told:
                    yield right


def shape(key: str) -> str:
    """An identifier's look: runs of letters as a, digits as 9."""
    return DIGITS.sub("9", LETTERS.sub("a", key[:80]))


def where_else(known: TeamKnowledge, sender: AgentRun, turn: int, fact: Fact, again: bool) -> str | None:
    """Where the receiver could have a fact from besides the sender's message; None if the sender had it not."""
    if fact.kind in BY_CHANCE and fact.key not in known.flow.asked[turn]:
        return None
    if fact.key in known.flow.asked[turn]:
        return None if again or fact.kind == "count" else "user"
    if fact.key not in known.of(sender.agent_id):
        return None
    if fact.key in known.spoken:
        return None if again else "spoken"
    return None if len(fact.key) < UNLIKELY else "looked up" if again else "private"


def dropped_facts(reading: Reading, known: TeamKnowledge, turn: int, message: str) -> list[Fact]:
    """Facts of the user's message that belong to the work handed over and that no agent ever spoke of."""
    lost = [
        fact
        for key, fact in known.flow.asked[turn].items()
        if fact.kind not in BY_CHANCE and key not in known.flow.said and (turn, key) not in known.missed
    ]
    if not lost:
        return []
    told, low = reading.stems(message), message[:MAX_TEXT_CHARACTERS].lower()
    if turn not in known.sentences:
        known.sentences[turn] = sentences((reading.trace.turns[turn].user_message or "")[:MAX_TEXT_CHARACTERS], 40)
    near = [
        sentence for sentence in known.sentences[turn] if len(told.intersection(reading.content(sentence))) >= SAME_WORK
    ]
    found = [
        fact
        for fact in lost
        if fact.key not in low
        and not told.issuperset(reading.content(fact.text))
        and any(fact.text in sentence for sentence in near)
    ]
    known.missed.update((turn, fact.key) for fact in found)  # only the first who could have told it is to blame
    return found
