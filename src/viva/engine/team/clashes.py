"""Clashes: where agents do the same twice, do another's work, go to and fro or wait for each other."""

from collections.abc import Iterator

import msgspec

from viva.engine.evidence import Evidence, cut
from viva.engine.model import ToolCall
from viva.engine.reading import Place, Reading, call_text, calls
from viva.engine.team.echoes import SAME, overlap
from viva.engine.team.flow import AgentRun
from viva.engine.team.roles import Roles
from viva.engine.team.speech import waits

LONG = 8  # words of an answer that two agents do not give alike by chance
NOTHING_NEW = 0.15  # share of new words up to which a message brings nothing
WINDOW = 4  # A, B, A, B: fewer is a question and its answer


def at(reading: Reading, place: Place) -> tuple[int, int]:
    return reading.turn_index(place.turn), place.part


def duplicate_work(reading: Reading, run: list[AgentRun], stems: list[frozenset[str]]) -> Iterator[Evidence]:
    """Calls that another agent made before with the same arguments, and answers another agent gave before."""
    made: dict[tuple[str, bytes], str] = {}
    for place in reading.places:
        agent = place.interaction.agent_id
        for k, step in calls(place.interaction):
            call = step.tool_call or ToolCall("")
            key = (call.tool_name, msgspec.json.encode(call.parameters, order="deterministic"))
            first = made.get(key, agent)
            if first != agent:
                why = f"{agent} makes a call that {first} made before."
                yield Evidence(why, cut(call_text(call)), *at(reading, place), k)
            if not call.error:
                made.setdefault(key, agent)
    for n in range(1, len(run)):
        for m in range(max(0, n - WINDOW + 1), n):
            if run[m].agent_id != run[n].agent_id and same_answer(stems[m], stems[n]):
                why = f"{run[n].agent_id} gives the answer that {run[m].agent_id} gave before."
                yield Evidence(why, cut(run[n].last_words), *at(reading, run[n].places[-1]))
                break


def same_answer(one: frozenset[str], two: frozenset[str]) -> bool:
    return min(len(one), len(two)) >= LONG and overlap(one, two) >= SAME


def role_breaches(reading: Reading) -> Iterator[Evidence]:
    """Deeds and words that are another agent's."""
    roles = reading.once(Roles)
    for place in reading.places:
        agent = place.interaction.agent_id
        for k, step in calls(place.interaction):
            tool = step.tool_call.tool_name if step.tool_call else ""
            if roles.lacks(agent, tool):
                owner = roles.first_owners[tool]
                yield Evidence(f"{agent} calls {tool}, which only {owner} has.", cut(tool), *at(reading, place), k)
            elif roles.oversteps(agent, tool):
                yield Evidence(f"{agent} is to lead, but calls {tool} itself.", cut(tool), *at(reading, place), k)
        response = place.interaction.agent_response or ""
        owner_of_words = roles.speaks_as(agent, reading.stems(response)) if response else None
        if owner_of_words is not None:
            why = f"{agent} speaks of what is the task of {owner_of_words}."
            yield Evidence(why, cut(response), *at(reading, place))


def ping_pong(reading: Reading, run: list[AgentRun], stems: list[frozenset[str]]) -> Iterator[Evidence]:
    """Two agents who send messages to and fro that bring nothing new: one case for each message past the third."""
    for n in range(WINDOW - 1, len(run) - 1):
        a, b, c, d = run[n - 3 : n + 1]
        if run[n + 1].places[0].turn != d.places[0].turn:
            continue  # the last word of a turn sums up, and need not be new
        if a.agent_id != c.agent_id or b.agent_id != d.agent_id or has_deeds(c) or has_deeds(d):
            continue
        if stale(stems[n - 1], stems[n - 3] | stems[n - 2]) and stale(stems[n], stems[n - 3] | stems[n - 2]):
            why = f"{a.agent_id} and {b.agent_id} go to and fro, and nothing new is said."
            yield Evidence(why, cut(d.last_words), *at(reading, d.places[-1]))


def stale(stems: frozenset[str], known: frozenset[str]) -> bool:
    return len(stems - known) <= NOTHING_NEW * len(stems)


def has_deeds(stretch: AgentRun) -> bool:
    return any(step.tool_call for place in stretch.places for step in place.interaction.agent_steps)


def deadlock(reading: Reading, run: list[AgentRun], stems: list[frozenset[str]]) -> Iterator[Evidence]:
    """Two agents of whom each waits for the other: three messages in a row that ask and give nothing."""
    for n in range(2, len(run)):
        a, b, c = run[n - 2 : n + 1]
        if a.agent_id != c.agent_id or a.agent_id == b.agent_id or a.places[0].turn != c.places[0].turn:
            continue
        asking = all(waits(stretch.handed_over) and not has_deeds(stretch) for stretch in (a, b, c))
        if asking and stale(stems[n], stems[n - 2] | stems[n - 1]):
            why = f"{a.agent_id} and {b.agent_id} each wait for the other."
            yield Evidence(why, cut(c.last_words), *at(reading, c.places[-1]))
