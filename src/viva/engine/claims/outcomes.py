"""What became of a call against what is told of it: "declined" told as "went through"."""

import re
from typing import NamedTuple

from viva.engine.call_text import came_back, flat
from viva.engine.calls.actions import CHANGES, changes, leaves, name_words
from viva.engine.model import ToolCall
from viva.engine.team.speech import asks
from viva.engine.text.sentences import sentences
from viva.engine.text.states import find_states
from viva.engine.text.words import content, split_words, stem

OPENING = 120  # characters of a result in prose that say what became of the call
MAX_ANSWER_CHARACTERS = 4_000
RECENT_CALLS = 20  # of a turn, of which a sentence may tell instead
MAX_CALL_CHARACTERS = 2_000  # of the arguments of a call, in which a sentence may have its words
DEEDS = frozenset(map(stem, CHANGES))
SAYS_SO = re.compile(r"(?:status|state|result|outcome|message|detail|reason|success|ok|error|err)$", re.I)
NOTICED = re.compile(
    r"fail|error|unable|unfortunate|sorry|apolog|cannot|\bnot?\b|n['’]t\b|declin|reject|refus|denied|problem|issue|trouble"
    r"|unsuccess|missing|instead|again|retry|cancel|pending|nicht|kein|leider|konnte|fehl|abgelehnt|storn",
    re.I,
)
CLAIMED = re.compile(
    r"\b(?:is|are|was|were|been|has|have|had|i|we|ist|sind|wurde|wurden|habe|haben)\b(?:['’]ve)?(?: \w+ly| now| already| all| been)*"
    r" (?:(?!need\b)\w+ed|sent|paid|made|done|set|put|made|bought|ge\w+t|ge\w+en|\w+iert|\w+gelegt)\b|['’]ve (?:\w+ed|sent|paid|made)\b",
    re.I,
)


class OutcomeClash(NamedTuple):
    """A sentence that tells as done what a call did not do, and what came back from it."""

    sentence: str
    came_back: str


def find_clash(response: str, calls: list[ToolCall]) -> OutcomeClash | None:
    """Where a response tells as done what the last call of its turn did not do, and says nothing of a failure."""
    *earlier, call = calls
    said = response[:MAX_ANSWER_CHARACTERS]
    worked = [one for one in earlier[-RECENT_CALLS:] if not fell_through(one)]
    same = [one.parameters for one in worked if one.tool_name == call.tool_name]
    holds = "already" in came_back(call).lower() or call.parameters in same
    if not fell_through(call) or holds or NOTICED.search(said):
        return None
    looked_up = bool(same) and changes(call.tool_name) < 0.5  # what is told of looking may come from there
    for sentence in sentences(said):
        if tells_done(sentence, looked_up) and is_about(sentence, call, worked):
            return OutcomeClash(sentence, came_back(call))
    return None


def fell_through(call: ToolCall) -> bool:
    return outcome(call) in ("failed", "cancelled")


def tells_done(sentence: str, only_deeds: bool) -> bool:
    """Whether a sentence tells something as done; who asks for something does not."""
    claimed = CLAIMED.search(sentence)
    is_deed = claimed and stem(claimed[0].split()[-1].lower()) in DEEDS
    return not asks(sentence.lower()) and bool(is_deed if only_deeds else claimed or "done" in states(sentence))


def is_about(sentence: str, call: ToolCall, worked: list[ToolCall]) -> bool:
    """Whether a sentence may tell of a call: it has a word of it, or none of those that worked."""
    told = set(content(sentence))
    return not told.isdisjoint(call_words(call)) or all(told.isdisjoint(call_words(one)) for one in worked)


def call_words(call: ToolCall) -> list[str]:
    return content(" ".join([*name_words(call.tool_name), *leaves(call.parameters)])[:MAX_CALL_CHARACTERS])


def outcome(call: ToolCall) -> str:
    """What became of a call: "done", "failed", "cancelled" or nothing that is said."""
    if call.error:
        return "failed"
    if isinstance(call.result, dict):
        said = {name: value for name, value in call.result.items() if SAYS_SO.search(name) and value not in (None, "")}
        if any(value is False or (SAYS_SO.search(name) and "err" in name.lower()) for name, value in said.items()):
            return "failed"
        return only(states(" ".join(flat(value) for value in said.values())[:OPENING]))
    return only(states(flat(call.result)[:OPENING]))


def only(found: set[str]) -> str:
    return next(iter(found)) if len(found) == 1 else ""


def states(text: str) -> set[str]:
    return {state.key for state in find_states(text, frozenset(split_words(text.lower())))}
