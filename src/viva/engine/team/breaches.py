"""Breaches of roles: another's tool, another's words, work given to the wrong agent, agents that are spoken for or waited for."""

import re
from collections.abc import Iterator

from viva.engine.faults import RunFault
from viva.engine.reading import calls
from viva.engine.team.speech import CODE, EXECUTED, waits
from viva.engine.team.talk import TeamTalk, stale
from viva.engine.text.phrases import Phrases
from viva.engine.text.words import overlap

SAME_REQUEST = 0.6  # share of common words that makes two requests one; the names of those asked differ
MAX_REFUSAL_WORDS = 60  # words up to which a reply that does nothing may be a refusal
REPORTS = re.compile(
    r"(?i)\W{0,3}(?:(?:just|already|has|have|hat|ha)\s){0,2}(?:says?|said|reports?|reported|confirms?|confirmed|answers?|answered|writes"
    r"|wrote|tells|told|states|stated|finished|completed|done|sagt|meldet|bestätigt|schreibt|gemeldet|dice|confirma|informa)\b|\s?:"
)
SELF = ("as", "as a", "as an", "as the", "i am", "i'm", "this is", "my name is", "here is", "als", "soy")
NEGATION = Phrases(
    r"(?:not|no|cannot|can't|don't|doesn't|isn't|unable|lack|outside|beyond|nicht|nichts|kein\w*|leider)\b"
)
SAID_BY = re.compile(r"(?i)(?:from|by|behalf of|according to|per|von|laut|de|según)\s+(?:the\s+)?$")


def foreign_tools(talk: TeamTalk) -> Iterator[RunFault]:
    """Calls of tools that are another's."""
    for at, place in enumerate(talk.places):
        agent = place.interaction.agent_id
        for k, step in calls(place.interaction):
            tool = step.tool_call.tool_name if step.tool_call else ""
            if talk.roles.lacks(agent, tool):
                sent = at - 1 if talk.same_turn(at - 1, at) and talk.spoken_to[at - 1] == agent else at
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
        if called == talk.agent(at) and not introduces_itself(talk, at):
            yield talk.fault("role_breaches", at, 0.9, f"{called} speaks to {called}: these are another agent's words.")
        elif (
            called not in (None, talk.agent(at))
            and talk.same_turn(at, at + 1)
            and talk.agent(at + 1) not in (called, talk.agent(at))
        ):
            why = f"{talk.agent(at + 1)} takes up what was given to {called}."
            yield talk.fault("role_breaches", at + 1, 0.35, why)  # most mentions of a name give no work


def introduces_itself(talk: TeamTalk, at: int) -> bool:
    """Whether an agent names itself as the one who speaks: "As Ann, I …", "Ann: …"."""
    text = talk.texts[at]
    name = talk.names.named_in(text, talk.agent(at)) or ""
    before, _, after = text.partition(name) if name else ("", "", "")
    return before.rstrip(" *#_[(`").lower().endswith(SELF) or (not before.strip() and after.lstrip(" *])`")[:1] == ":")


def swapped_outputs(talk: TeamTalk) -> Iterator[RunFault]:
    """Code written by an agent that is there to run it, and run by one that is there to write it."""
    for at in range(1, len(talk.places)):
        if not talk.same_turn(at - 1, at) or CODE not in talk.texts[at - 1] or not is_output(talk.texts[at]):
            continue
        if talk.roles.runs(talk.agent(at - 1)) and not talk.roles.runs(talk.agent(at)):
            why = f"{talk.agent(at - 1)} writes what {talk.agent(at)} runs; it should be the other way round."
            yield talk.fault("role_breaches", at - 1, 0.6, why)


def is_output(text: str) -> bool:
    """Whether a message is what a program printed: numbers alone, or the report of a terminal."""
    return not any(map(str.isalpha, text[:80])) or EXECUTED.search(text[:80].lower()) is not None


def returned_work(talk: TeamTalk) -> Iterator[RunFault]:
    """Work given to one agent who does nothing, then the same to another: the first was the wrong one."""
    for at in range(len(talk.places) - 2):
        giver, first, again = talk.agent(at), talk.agent(at + 1), at + 2
        if (
            not talk.same_turn(at, again)
            or talk.agent(again) != giver
            or first == giver
            or talk.called[at + 1]
            or talk.roles.runs(giver)
        ):
            continue
        after = talk.agent(again + 1) if talk.same_turn(again, again + 1) else talk.spoken_to[again]
        refused = is_refusal(talk.texts[at + 1]) and len(talk.stems[at]) > 1
        if refused and after not in (None, first, giver) and overlap(talk.stems[at], talk.stems[again]) >= SAME_REQUEST:
            why = f"Given to {first}, who did nothing with it, and then to {after}."
            yield talk.fault("role_breaches", at, 0.8, why)


def is_refusal(text: str) -> bool:
    """Whether a short reply says that the work is not the speaker's."""
    return len(text.split()) <= MAX_REFUSAL_WORDS and NEGATION.said_in(text.lower())


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
        if (
            talk.agent(at) != talk.agent(at - 2)
            or talk.agent(at) == talk.agent(at - 1)
            or not talk.same_turn(at - 2, at)
        ):
            continue
        idle = not any(talk.called[at - 2 : at + 1]) and all(map(waits, talk.passed[at - 2 : at + 1]))
        if idle and stale(talk.stems[at], talk.stems[at - 2] | talk.stems[at - 1]):
            why = f"{talk.agent(at)} and {talk.agent(at - 1)} each wait for the other."
            yield talk.fault("deadlock", at, 0.8, why)
