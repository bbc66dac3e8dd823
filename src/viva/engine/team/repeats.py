"""Repeats: the same call made twice, the same message said twice, two agents that go in a circle."""

from collections.abc import Iterator

import msgspec

from viva.engine.call_text import call_text
from viva.engine.faults import RunFault
from viva.engine.model import ToolCall
from viva.engine.reading import calls
from viva.engine.team.agents import transfers
from viva.engine.team.figures import figures, values_of
from viva.engine.team.talk import NOTHING_NEW, TeamTalk
from viva.engine.text.words import overlap

MIN_ANSWER_STEMS = 8  # of an answer that is not given twice by chance
REPLY_WITHIN = 4  # interactions after an order, of which some say nothing
SAME_MESSAGE = 0.6  # share of common words from which on messages that go to and fro are one


def repeated_calls(talk: TeamTalk) -> Iterator[RunFault]:
    made: dict[tuple[int, str, bytes], int] = {}
    listed: set[tuple[int, str, bytes]] = set()  # a loop is one fault, however often it goes round
    for at, place in enumerate(talk.places):
        for k, step in calls(place.interaction):
            call = step.tool_call or ToolCall("")
            if call.error:
                continue
            key = (place.turn, call.tool_name, msgspec.json.encode(call.parameters, order="deterministic"))
            first = made.setdefault(key, at)
            if first == at or key in listed:
                continue
            earlier = (one.tool_call for _, one in calls(talk.places[first].interaction) if one.tool_call)
            if not any((one.tool_name, one.result) == (call.tool_name, call.result) for one in earlier):
                continue
            listed.add(key)
            why = f"{talk.agent(at)} makes a call that {talk.agent(first)} made before."
            is_asked = talk.same_turn(at - 1, at) and not talk.called[at - 1] and talk.agent(at - 1) != talk.agent(at)
            if is_asked and (talk.agent(first) == talk.agent(at) or talk.spoken_to[at - 1]):
                yield talk.fault("duplicate_work", at - 1, 0.8, f"Asks for work that was done: {why}")
            else:
                yield talk.fault("duplicate_work", at, 0.8, why, k, call_text(call))


def repeated_words(talk: TeamTalk) -> Iterator[RunFault]:
    """Messages said before in the same turn: two agents in a circle, or one message twice."""
    first: dict[tuple[int, str], int] = {}
    listed: set[tuple[int, str]] = set()
    skip = -1
    for at, text in enumerate(talk.texts):
        key = message_key(talk, at)
        before = first.setdefault(key, at)
        if at <= skip or not text:
            continue
        if (end := circle_end(talk, at)) > at:
            skip = end
            listed.update(message_key(talk, k) for k in range(at, end + 1))
            works = any(talk.called[at : at + 2]) or max(map(len, talk.stems[at : at + 2])) >= 2 * MIN_ANSWER_STEMS
            why = f"{talk.agent(at)} and {talk.agent(at + 1)} go to and fro, and nothing new is said."
            # It begins at its first message if that does nothing, else where it is said again.
            yield talk.fault("ping_pong", at + 2 if works else at, 0.9, why)
        elif before < at and key not in listed and says_much(talk, at):
            listed.add(key)
            yield said_twice(talk, before, at)


def says_much(talk: TeamTalk, at: int) -> bool:
    """Whether a message is not said twice by chance. A program that is run again prints the same."""
    return len(talk.stems[at]) >= MIN_ANSWER_STEMS and not talk.called[at] and not talk.roles.runs(talk.agent(at))


def message_key(talk: TeamTalk, at: int) -> tuple[int, str]:
    """A message by which it is known again in its turn."""
    return talk.turn(at), " ".join(talk.texts[at].lower().split())


def said_twice(talk: TeamTalk, before: int, at: int) -> RunFault:
    """A message said again. A standing phrase that answers something new, and an order that brings the work on, are hardly faults."""
    new_question = at > 0 and before > 0 and talk.texts[at - 1] != talk.texts[before - 1]
    new_answer = talk.same_turn(at, at + 1) and talk.texts[at + 1] != talk.texts[before + 1]
    asks_only = not figures(talk.texts[at])
    why = f"{talk.agent(at)} says again what {talk.agent(before)} said before, word for word."
    is_doubtful = brings_on(talk, before, at) or (asks_only and (new_question or new_answer))
    return talk.fault("duplicate_work", at, 0.3 if is_doubtful else 0.7, why)


def brings_on(talk: TeamTalk, before: int, at: int) -> bool:
    """Whether an order given to another agent again makes it do something new: one step a time of a longer work."""
    if talk.agent(before) != talk.agent(at) or not any(transfers(talk.places[at].interaction)):
        return False
    one, two = reply_to(talk, before), reply_to(talk, at)
    return one is not None and two is not None and len(two - one) > NOTHING_NEW * len(two)


def reply_to(talk: TeamTalk, at: int) -> frozenset[str] | None:
    """The words that another agent says next in the same turn."""
    later = range(at + 1, min(at + 1 + REPLY_WITHIN, len(talk.places)))
    replies = (k for k in later if talk.same_turn(at, k) and talk.texts[k] and talk.agent(k) != talk.agent(at))
    return next((talk.stems[k] for k in replies), None)


def circle_end(talk: TeamTalk, at: int) -> int:
    """The end of a circle that begins here: two agents whose next two messages bring nothing that these did not."""
    end = at
    while talk.same_turn(at, end + 3) and is_circle(talk, at, end + 2):
        end += 2
    return end + 1 if end > at else at


def is_circle(talk: TeamTalk, first: int, again: int) -> bool:
    if talk.agent(first) == talk.agent(first + 1) or any(talk.called[again : again + 2]):
        return False
    return all(
        talk.agent(again + k) == talk.agent(first + k)
        and (talk.passed[again + k] == talk.passed[first + k] or brings_nothing(talk, again + k, first + k))
        for k in (0, 1)
    )


def brings_nothing(talk: TeamTalk, again: int, first: int) -> bool:
    """Whether a message has the words of an earlier one, and no figure that this did not have."""
    same = overlap(talk.stems[again], talk.stems[first]) >= SAME_MESSAGE
    return same and values_of(talk.passed[again]) <= values_of(talk.passed[first])


REPEATS = (repeated_calls, repeated_words)
