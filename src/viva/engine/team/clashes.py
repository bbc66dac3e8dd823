"""Clashes: where agents do the same twice, do another's work, contradict each other, go in a circle or wait in vain."""

import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

from viva.engine.model import ToolCall
from viva.engine.reading import Place, Reading, call_text, calls, flat
from viva.engine.team.addressing import Directory
from viva.engine.team.faults import RunFault, make_fault
from viva.engine.team.figures import denied_figure, figures, told_otherwise, values_of
from viva.engine.team.flow import AgentRun, passed_text, stretches
from viva.engine.team.roles import Roles
from viva.engine.team.speech import EXECUTED, waits

MIN_ANSWER_STEMS = 8  # of an answer that is not given twice by chance
SAME = 0.9  # share of common words from which on two texts are one
SAME_REQUEST = 0.6  # the same for a request given to two agents: their names differ
BRIEF = 60  # words up to which a reply that does nothing may be a refusal
NOTHING_NEW = 0.15  # share of new words up to which a message brings nothing
REPORTS = re.compile(
    r"(?i)\W{0,3}(?:(?:just|already|has|have|hat|ha)\s){0,2}(?:says?|said|reports?|reported|confirms?|confirmed|answers?|answered|writes"
    r"|wrote|tells|told|states|stated|finished|completed|done|sagt|meldet|bestätigt|schreibt|gemeldet|dice|confirma|informa)\b|\s?:"
)
SAID_BY = re.compile(r"(?i)(?:from|by|behalf of|according to|per|von|laut|de|según)\s+(?:the\s+)?$")
OWN_REPLIES_SHARE = 0.34  # of all messages; where agents answer themselves more often, that is how the run works
RECENT = 6  # messages before, whose figures a message may tell otherwise
CODE = "```"
MAX_CHANCES = 400  # interactions that are looked at; later ones are too many to be read


def overlap(one: frozenset[str], two: frozenset[str]) -> float:
    """The share of two texts' words that are common to both."""
    return len(one & two) / len(one | two) if one or two else 0.0


class TeamTalk:
    """The interactions of a run with what each said, for the finders below."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.places = reading.places[:MAX_CHANCES]
        self.texts = [(place.interaction.agent_response or "").strip() for place in self.places]
        self.passed = [passed_text(place.interaction) for place in self.places]
        self.stems = [reading.stems(text) for text in self.passed]
        self.names = Directory(reading.trace)
        self.roles: Roles = reading.once(Roles)
        self.called = [any(step.tool_call for step in place.interaction.agent_steps) for place in self.places]

    @cached_property
    def spoken_to(self) -> list[str | None]:
        """The agent that each message calls by name."""
        return [self.names.spoken_to(text) for text in self.texts]

    def agent(self, at: int) -> str:
        return self.places[at].interaction.agent_id

    def turn(self, at: int) -> int:
        return self.places[at].turn

    def joined(self, one: int, two: int) -> bool:
        """Whether two positions are of the same turn."""
        return one >= 0 and two < len(self.places) and self.turn(one) == self.turn(two)

    def fault(
        self, kind: str, at: int, confidence: float, why: str, step: int | None = None, quote: str = ""
    ) -> RunFault:
        place = self.places[at]
        return make_fault(self.reading, kind, place, confidence, why, quote or quotation(place), step)


def quotation(place: Place) -> str:
    """What an interaction said or did, to be quoted at its place."""
    return AgentRun(place.interaction.agent_id, [place]).last_words


def repeated_calls(talk: TeamTalk) -> Iterator[RunFault]:
    """Calls that were made before in the same turn, with the same arguments and the same result."""
    made: dict[tuple[int, str, bytes], int] = {}
    for at, place in enumerate(talk.places):
        for k, step in calls(place.interaction):
            call = step.tool_call or ToolCall("")
            if call.error:
                continue
            key = (place.turn, call.tool_name, msgspec.json.encode(call.parameters, order="deterministic"))
            first = made.setdefault(key, at)
            if first == at or not has_same_result(talk.places[first], call):
                continue
            asker = (
                at - 1
                if talk.joined(at - 1, at) and not talk.called[at - 1] and talk.agent(at - 1) != talk.agent(at)
                else at
            )
            why = f"{talk.agent(at)} makes a call that {talk.agent(first)} made before."
            if asker == at:
                yield talk.fault("duplicate_work", at, 0.8, why, k, call_text(call))
            elif talk.agent(first) == talk.agent(at) or talk.spoken_to[asker]:
                yield talk.fault("duplicate_work", asker, 0.8, f"Asks for work that was done: {why}")
            else:
                yield talk.fault("duplicate_work", at, 0.8, why, k, call_text(call))


def has_same_result(place: Place, call: ToolCall) -> bool:
    """Whether an interaction made this call with this result."""
    return any(
        step.tool_call.tool_name == call.tool_name and step.tool_call.result == call.result
        for _, step in calls(place.interaction)
        if step.tool_call
    )


def repeated_words(talk: TeamTalk) -> Iterator[RunFault]:
    """Messages said before in the same turn: two agents in a circle, or one message twice."""
    first: dict[tuple[int, str], int] = {}
    skip = -1
    for at, text in enumerate(talk.texts):
        key = (talk.turn(at), " ".join(text.lower().split()))
        before = first.setdefault(key, at)
        if at <= skip or not text:
            continue
        if (end := circle_end(talk, at)) > at:
            skip = end
            yield circle_fault(talk, at)
        elif before < at and len(talk.stems[at]) >= MIN_ANSWER_STEMS and not talk.called[at]:
            yield said_twice(talk, before, at)
        elif (other := same_answer(talk, at)) is not None:
            why = f"{talk.agent(at)} gives the answer that {talk.agent(other)} gave before."
            yield talk.fault("duplicate_work", at, 0.6, why)


def said_twice(talk: TeamTalk, before: int, at: int) -> RunFault:
    """A message said again. A standing phrase that answers something new is hardly a fault."""
    new_question = at > 0 and before > 0 and talk.texts[at - 1] != talk.texts[before - 1]
    asks_only = not figures(talk.texts[at])
    why = f"{talk.agent(at)} says again what {talk.agent(before)} said before, word for word."
    return talk.fault("duplicate_work", at, 0.3 if new_question and asks_only else 0.7, why)


def same_answer(talk: TeamTalk, at: int) -> int | None:
    """Where another agent gave nearly the same answer shortly before. Who gave the work may pass its answer on."""
    if any(talk.agent(other) == talk.agent(at) and talk.joined(other, at) for other in range(max(0, at - 20), at)):
        return None
    for other in range(max(0, at - 3), at):
        if talk.agent(other) != talk.agent(at) and talk.joined(other, at) and not talk.called[at]:
            small = min(len(talk.stems[other]), len(talk.stems[at]))
            if small >= MIN_ANSWER_STEMS and overlap(talk.stems[other], talk.stems[at]) >= SAME:
                return other
    return None


def circle_end(talk: TeamTalk, at: int) -> int:
    """The end of a circle that begins here: two agents whose next two messages bring nothing that these did not."""
    end = at
    while talk.joined(at, end + 3) and is_circle(talk, at, end + 2):
        end += 2
    return end + 1 if end > at else at


def is_circle(talk: TeamTalk, first: int, again: int) -> bool:
    if talk.agent(first) == talk.agent(first + 1) or any(talk.called[again : again + 2]):
        return False
    return all(
        talk.agent(again + k) == talk.agent(first + k)
        and (
            talk.texts[again + k] == talk.texts[first + k]
            or overlap(talk.stems[again + k], talk.stems[first + k]) >= SAME_REQUEST
        )
        for k in (0, 1)
    )


def stale(stems: frozenset[str], known: frozenset[str]) -> bool:
    return len(stems - known) <= NOTHING_NEW * len(stems)


def circle_fault(talk: TeamTalk, at: int) -> RunFault:
    """The circle, placed where it begins: at its first message if that does nothing, else where it is said again."""
    works = any(talk.called[at : at + 2]) or max(len(talk.stems[at]), len(talk.stems[at + 1])) >= 2 * MIN_ANSWER_STEMS
    why = f"{talk.agent(at)} and {talk.agent(at + 1)} go to and fro, and nothing new is said."
    return talk.fault("ping_pong", at + 2 if works else at, 0.9, why)


def foreign_tools(talk: TeamTalk) -> Iterator[RunFault]:
    """Calls of tools that are another's."""
    for at, place in enumerate(talk.places):
        agent = place.interaction.agent_id
        for k, step in calls(place.interaction):
            tool = step.tool_call.tool_name if step.tool_call else ""
            if talk.roles.lacks(agent, tool):
                sent = at - 1 if talk.joined(at - 1, at) and talk.spoken_to[at - 1] == agent else at
                sent = at if talk.agent(sent) == agent else sent
                why = f"{agent} calls {tool}, which only {talk.roles.first_owners[tool]} has."
                yield talk.fault("role_breaches", sent, 0.9, why, k if sent == at else None, tool if sent == at else "")
                break
            if talk.roles.oversteps(agent, tool):
                why = f"{agent} is to lead, but calls {tool} itself."
                yield talk.fault("role_breaches", at, 0.7, why, k, tool)
                break


def wrong_speakers(talk: TeamTalk) -> Iterator[RunFault]:
    """Agents that speak to themselves by name, or take up what was given to another."""
    for at, called in enumerate(talk.spoken_to):
        if called == talk.agent(at):
            yield talk.fault("role_breaches", at, 0.9, f"{called} speaks to {called}: these are another agent's words.")
        elif called and talk.joined(at, at + 1) and talk.agent(at + 1) not in (called, talk.agent(at)):
            why = f"{talk.agent(at + 1)} takes up what was given to {called}."
            yield talk.fault("role_breaches", at + 1, 0.7, why)


def returned_work(talk: TeamTalk) -> Iterator[RunFault]:
    """Work given to one agent who does nothing, then the same to another: the first was the wrong one."""
    for at in range(len(talk.places) - 2):
        giver, first, again = talk.agent(at), talk.agent(at + 1), at + 2
        if not talk.joined(at, again) or talk.agent(again) != giver or first == giver or talk.called[at + 1]:
            continue
        after = talk.agent(again + 1) if talk.joined(again, again + 1) else talk.spoken_to[again]
        brief = len(talk.texts[at + 1].split()) <= BRIEF and len(talk.stems[at]) > 1
        if brief and after not in (None, first, giver) and overlap(talk.stems[at], talk.stems[again]) >= SAME_REQUEST:
            why = f"Given to {first}, who did nothing with it, and then to {after}."
            yield talk.fault("role_breaches", at, 0.8, why)


def absent_agents(talk: TeamTalk) -> Iterator[RunFault]:
    """Agents that are waited for, or spoken for, but say nothing in the whole turn."""
    by_turn: dict[int, list[int]] = {}
    for at in range(len(talk.places)):
        by_turn.setdefault(talk.turn(at), []).append(at)
    for positions in by_turn.values():
        if len(positions) < 2:
            continue
        present = {talk.agent(at) for at in positions}
        absent = [agent for agent in dict.fromkeys(talk.names.names.values()) if agent not in present]
        for agent in absent:
            yield from absence(talk, agent, positions)


def absence(talk: TeamTalk, agent: str, positions: list[int]) -> Iterator[RunFault]:
    """What is said of one agent that says nothing itself: the first words that matter."""
    asked: int | None = None
    for at in positions:
        name = talk.names.named_in(talk.texts[at], agent)
        if name is None:
            continue
        asks_it = talk.spoken_to[at] == agent
        idle = waits(talk.texts[at])
        if not asks_it and not idle and speaks_for(talk.texts[at], name):
            yield talk.fault("role_breaches", at, 0.85, f"Speaks for {agent}, who has said and done nothing.")
            return
        asked = at if asked is None and (asks_it or idle) else asked
    if asked is not None:
        yield talk.fault("deadlock", asked, 0.85, f"{agent} is waited for, and never takes part.")


def speaks_for(text: str, name: str) -> bool:
    """Whether a text tells what somebody said or did: "Ann says: it is done", "from Ann: it is done"."""
    at = text.find(name)
    quoted = SAID_BY.search(text[max(0, at - 20) : at]) is not None and text[at + len(name) :][:1] in (":", ",")
    return quoted or REPORTS.match(text, at + len(name)) is not None


def mutual_waiting(talk: TeamTalk) -> Iterator[RunFault]:
    """Two agents of whom each waits for the other: three messages in a row that ask and give nothing."""
    for at in range(2, len(talk.places)):
        if talk.agent(at) != talk.agent(at - 2) or talk.agent(at) == talk.agent(at - 1) or not talk.joined(at - 2, at):
            continue
        idle = not any(talk.called[at - 2 : at + 1]) and all(map(waits, talk.passed[at - 2 : at + 1]))
        if idle and stale(talk.stems[at], talk.stems[at - 2] | talk.stems[at - 1]):
            why = f"{talk.agent(at)} and {talk.agent(at - 1)} each wait for the other."
            yield talk.fault("deadlock", at, 0.8, why)


def broken_order(talk: TeamTalk) -> Iterator[RunFault]:
    """Messages that answer nobody: an agent that answers itself where agents take turns, or output of code nobody wrote."""
    own = [at for at in range(1, len(talk.places)) if answers_itself(talk, at)]
    if len(own) <= OWN_REPLIES_SHARE * len(talk.places):
        for at in own:
            yield talk.fault("context_lost", at, 0.4, f"{talk.agent(at)} answers itself; a part seems to be missing.")
    for at in range(1, len(talk.places)):
        if at not in own and EXECUTED.search(talk.texts[at][:80].lower()) and CODE not in talk.texts[at - 1]:
            yield talk.fault("context_lost", at, 0.5, "The output of code that nobody wrote just before.")


def answers_itself(talk: TeamTalk, at: int) -> bool:
    both = talk.joined(at - 1, at) and talk.agent(at) == talk.agent(at - 1)
    return both and bool(talk.texts[at] and talk.texts[at - 1]) and not talk.called[at - 1]


def contradictions(talk: TeamTalk) -> Iterator[RunFault]:
    """Figures told otherwise than a tool, the user or another agent had them, and results that the next agent ignores."""
    known: set[float | str] = set()
    turn = -1
    for at, place in enumerate(talk.places):
        while turn < place.turn:
            turn += 1
            known |= values_of(talk.reading.trace.turns[turn].user_message or "")
        results = [flat(step.tool_call.result) for _, step in calls(place.interaction) if step.tool_call]
        for result in results:
            known |= values_of(result)
        found = contradiction_at(talk, at, results, known)
        yield from [found] if found else ignored_output(talk, at, known)
        known |= values_of(talk.texts[at])


def contradiction_at(talk: TeamTalk, at: int, results: list[str], known: set[float | str]) -> RunFault | None:
    """A figure of one message that is told otherwise than it was given."""
    text = talk.texts[at]
    if values_of(text) <= known:
        return None
    others = [
        talk.texts[k] for k in range(max(0, at - RECENT), at) if talk.joined(k, at) and talk.agent(k) != talk.agent(at)
    ]
    asked = talk.reading.trace.turns[talk.turn(at)].user_message or ""
    for sources, sure in ((results[-3:], 0.8), ([asked, *others], 0.6)):
        for source in sources:
            if pair := told_otherwise(text, source, known):
                why = f"Says {pair[0].written} where “{pair[1].written}” was given."
                return talk.fault("contradictions", at, sure, why)
    denied = denied_figure(text, known)
    return talk.fault("contradictions", at, 0.6, f"Denies {denied}, which was given.") if denied else None


def ignored_output(talk: TeamTalk, at: int, known: set[float | str]) -> Iterator[RunFault]:
    """A bare result of one agent, where the next agent tells other figures. Who is alone with its figure is to blame."""
    text = EXECUTED.sub(" ", talk.texts[at].lower())
    result, words = values_of(text), len(talk.reading.stems(text))
    if not 1 <= len(result) <= 3 or words > 2 + len(result) or not talk.joined(at, at + 1):
        return
    following = values_of(talk.texts[at + 1])
    if talk.agent(at + 1) == talk.agent(at) or not following or following & result:
        return
    if following & known and not result & known:
        why = f"Gives {figures(text)[0].written}, which {talk.agent(at + 1)} does not take up."
        yield talk.fault("contradictions", at, 0.5, why)
    elif result & known:
        why = f"Does not take up {figures(text)[0].written}, which {talk.agent(at)} gave."
        yield talk.fault("contradictions", at + 1, 0.5, why)


FINDERS = (
    repeated_calls,
    repeated_words,
    foreign_tools,
    wrong_speakers,
    returned_work,
    absent_agents,
    mutual_waiting,
    broken_order,
    contradictions,
)


def find_clashes(reading: Reading) -> list[RunFault]:
    """Every clash of a run with two agents or more, one for a kind and place."""
    run = stretches(reading)
    if len({stretch.agent_id for stretch in run}) < 2:
        return []
    talk = TeamTalk(reading)
    found = {(fault.kind, fault.turn, fault.part): fault for find in reversed(FINDERS) for fault in find(talk)}
    return sorted(found.values(), key=lambda fault: (fault.turn, fault.part, -fault.confidence))
