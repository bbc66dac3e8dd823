"""What became of a call against what is told of it: "declined" told as "went through"."""

import re
from typing import NamedTuple

from viva.engine.call_text import came_back, flat
from viva.engine.model import ToolCall
from viva.engine.text.sentences import sentences
from viva.engine.text.states import find_states
from viva.engine.text.words import split_words

OPENING = 120  # characters of a result in prose that say what became of the call
MAX_ANSWER_CHARACTERS = 4_000
SAYS_SO = re.compile(r"(?:status|state|result|outcome|message|detail|reason|success|ok|error|err)$", re.I)
NOTICED = re.compile(
    r"fail|error|unable|unfortunate|sorry|apolog|cannot|\bnot?\b|n['’]t\b|declin|reject|refus|denied|problem|issue|trouble"
    r"|unsuccess|instead|again|retry|cancel|pending|nicht|kein|leider|konnte|fehl|abgelehnt|storn",
    re.I,
)
CLAIMED = re.compile(
    r"\b(?:is|are|was|were|been|has|have|had|i|we|ist|sind|wurde|wurden|habe|haben)\b(?:['’]ve)?(?: \w+ly| now| already| all| been)*"
    r" (?:\w+ed|sent|paid|made|done|set|put|made|bought|ge\w+t|ge\w+en|\w+iert|\w+gelegt)\b|['’]ve (?:\w+ed|sent|paid|made)\b",
    re.I,
)


class OutcomeClash(NamedTuple):
    """A sentence that tells as done what a call did not do, and what came back from it."""

    sentence: str
    came_back: str


def find_clash(response: str, call: ToolCall) -> OutcomeClash | None:
    """Where a response tells as done what its last call did not do, and says nothing of a failure."""
    if outcome(call) not in ("failed", "cancelled") or NOTICED.search(response[:MAX_ANSWER_CHARACTERS]):
        return None
    for sentence in sentences(response[:MAX_ANSWER_CHARACTERS]):
        if not sentence.endswith("?") and (CLAIMED.search(sentence) or "done" in states(sentence)):
            return OutcomeClash(sentence, came_back(call))
    return None


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
