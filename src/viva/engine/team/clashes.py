"""Clashes between agents: breaches of roles, work given to the wrong one, agents spoken or waited for, contradictions."""

import re
from collections.abc import Iterator

from viva.engine.call_text import flat
from viva.engine.faults import RunFault
from viva.engine.reading import calls
from viva.engine.team.figures import figures, told_otherwise, values_of
from viva.engine.team.speech import CODE, EXECUTED, waits
from viva.engine.team.talk import NOTHING_NEW, TeamTalk
from viva.engine.text.phrases import Phrases
from viva.engine.text.words import overlap

OWN_REPLIES_SHARE = 0.34  # of all messages; where agents answer themselves more often, that is how the run works
RECENT = 6  # messages before, whose figures a message may tell otherwise
MAX_RESULT_CHARACTERS = 200  # of a message that gives a bare result
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


def broken_order(talk: TeamTalk) -> Iterator[RunFault]:
    """Messages that answer nobody: an agent that answers itself where agents take turns, or output of code nobody wrote."""
    own = [at for at in range(1, len(talk.places)) if answers_itself(talk, at)]
    if len(own) <= OWN_REPLIES_SHARE * len(talk.places):
        for at in own:
            yield talk.fault("context_lost", at, 0.2, f"{talk.agent(at)} answers itself; a part seems to be missing.")
    for at in range(1, len(talk.places)):
        if at not in own and EXECUTED.search(talk.texts[at][:80].lower()) and CODE not in talk.texts[at - 1]:
            yield talk.fault("context_lost", at, 0.3, "The output of code that nobody wrote just before.")


def answers_itself(talk: TeamTalk, at: int) -> bool:
    same = talk.same_turn(at - 1, at) and talk.agent(at) == talk.agent(at - 1) and not talk.called[at - 1]
    return same and bool(talk.texts[at] and talk.texts[at - 1])


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
    before = (k for k in range(max(0, at - RECENT), at) if talk.same_turn(k, at))
    others = [talk.texts[k] for k in before if talk.agent(k) != talk.agent(at)]
    asked = talk.reading.trace.turns[talk.turn(at)].user_message or ""
    for sources, sure in ((results[-3:], 0.8), ([asked, *others], 0.45)):
        for source in sources:
            if pair := told_otherwise(text, source, known):
                why = f"Says {pair[0].written} where “{pair[1].written}” was given."
                return talk.fault("contradictions", at, sure, why)
    return None


def ignored_output(talk: TeamTalk, at: int, known: set[float | str]) -> Iterator[RunFault]:
    """A bare result of one agent, where the next agent tells other figures. Who is alone with its figure is to blame."""
    if len(talk.texts[at]) > MAX_RESULT_CHARACTERS or not talk.same_turn(at, at + 1):
        return
    text = EXECUTED.sub(" ", talk.texts[at].lower())
    result, words = values_of(text), len(talk.reading.stems(text))
    if not 1 <= len(result) <= 3 or words > 2 + len(result):
        return
    following = values_of(talk.texts[at + 1])
    if talk.agent(at + 1) == talk.agent(at) or not following or following & result:
        return
    if following & known and not result & known:
        why = f"Gives {figures(text)[0].written}, which {talk.agent(at + 1)} does not take up."
        yield talk.fault("contradictions", at, 0.45, why)
    elif result & known:
        why = f"Does not take up {figures(text)[0].written}, which {talk.agent(at)} gave."
        yield talk.fault("contradictions", at + 1, 0.45, why)


def foreign_tools(talk: TeamTalk) -> Iterator[RunFault]:
    for at, place in enumerate(talk.places):
        agent = place.interaction.agent_id
        for k, step in calls(place.interaction):
            tool = step.tool_call.tool_name if step.tool_call else ""
            if talk.roles.lacks(agent, tool):
                sent = at - 1 if talk.same_turn(at - 1, at) and talk.spoken_to[at - 1] == agent else at
                sent = at if talk.agent(sent) == agent else sent
                why = f"{agent} calls {tool}, which only {min(talk.roles.owners[tool])} has."
                yield talk.fault("role_breaches", sent, 0.9, why, k if sent == at else None, tool if sent == at else "")
                break
            if talk.roles.oversteps(agent, tool):
                why = f"{agent} is to lead, but calls {tool} itself."
                yield talk.fault("role_breaches", at, 0.7, why, k, tool)
                break


def wrong_speakers(talk: TeamTalk) -> Iterator[RunFault]:
    """Agents that speak to themselves by name."""
    for at, called in enumerate(talk.spoken_to):
        if called == talk.agent(at) and not introduces_itself(talk, at):
            yield talk.fault("role_breaches", at, 0.9, f"{called} speaks to {called}: these are another agent's words.")


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
        comes_back = talk.same_turn(at, again) and talk.agent(again) == giver != first
        if not comes_back or talk.called[at + 1] or talk.roles.runs(giver):
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
        present = {talk.agent(at) for at in positions}
        for agent in dict.fromkeys(talk.names.names.values()) if len(positions) > 1 else ():
            yield from absence(talk, agent, positions) if agent not in present else ()


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
        if not talk.same_turn(at - 2, at) or not talk.agent(at - 1) != talk.agent(at) == talk.agent(at - 2):
            continue
        idle = not any(talk.called[at - 2 : at + 1]) and all(map(waits, talk.passed[at - 2 : at + 1]))
        new = talk.stems[at] - talk.stems[at - 2] - talk.stems[at - 1]
        if idle and len(new) <= NOTHING_NEW * len(talk.stems[at]) and not tells_the_task(talk, at - 2):
            why = f"{talk.agent(at)} and {talk.agent(at - 1)} each wait for the other."
            yield talk.fault("deadlock", at, 0.8, why)


def tells_the_task(talk: TeamTalk, at: int) -> bool:
    """Whether a message brings the user's words to the team; it waits for an answer by right."""
    asked = (talk.reading.trace.turns[talk.turn(at)].user_message or "").strip()
    return bool(asked) and asked in talk.texts[at]


CLASHES = (
    *(foreign_tools, wrong_speakers, swapped_outputs, returned_work, absent_agents, mutual_waiting),
    *(broken_order, contradictions),
)  # of two at one place the earlier counts
