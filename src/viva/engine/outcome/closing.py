"""How an answer closes: with a question back or a refusal."""

import re
from typing import NamedTuple

from viva.engine.reading import Reading, answer
from viva.engine.text.phrases import Phrases
from viva.engine.text.sentences import sentences

MAX_ANSWER_CHARACTERS = 4_000  # characters of an answer that are looked at, from its end: the close is there
MAX_FAREWELL_CHARACTERS = 120
FAREWELL = re.compile(r"\bthank|\bbye\b|that(?:'s| is) all")
STOP_WORD = re.compile(r"\W*[A-Z_]{3,}\W*")  # TERMINATE, DONE
THINKING = re.compile(r"<(think|thinking|scratchpad)>.*?(?:</\1>|\Z)", re.S | re.I)
# The patterns are for texts in small letters: to look for either case takes three times as long.
GIVES_UP = re.compile(
    r"\b(?:unable to|can(?:no|')t\b|can not|could(?:n't| not)|(?:do|does|did)(?:n't| not) (?:have|find|see|know|appear|seem)"
    r"|not (?:able|possible|available|accessible|authorized|allowed|found|sure)|no (?:access|record|way|information|such)"
    r"|failed to|unfortunately|i(?:'m| am) (?:sorry|afraid)|apologi[sz]e|encounter\w*|unsuccessful|restrictions?"
    r"|there (?:was|were|is|seems?) (?:to be )?(?:an? |some )?(?:issue|error|problem|technical)|issues? (?:with|\w+ing))"
)
ASKS_BACK = re.compile(
    r"\b(?:(?:could|can|would|will|may|shall|should) (?:you|i)\b[^.?!\n]{0,120}\?"
    r"|please (?:provide|specify|confirm|clarify|tell|share|let me know (?:the|which|what|how))"
    r"|i(?: will|'ll)? (?:need|require)\b[^.\n]{0,40}\b(?:to know|information|details|more|you|the following)"
    r"|(?:what|which|when|who|where|how)\b[^.?!\n]{3,100}\?|do you (?:want|have)\b[^.?!\n]{0,100}\?"
    r"|once (?:you|i have)\b|is (?:this|that) (?:correct|right)\?)"
)
OFFERS = re.compile(
    r"anything else|something else|any (?:other|further|more)|further assist|else (?:i can|you)|feel free"
)
DECLINES = Phrases(
    r"(?:unfortunately|unable to|cannot|can'?t|can not|not (?:able|possible|eligible|allowed|permitted)"
    r"|i(?:'m| am) sorry|regret|does(?: not|n't)|no options?)\b"
)
RULE = Phrases(
    r"(?:polic(?:y|ies)|rules?|terms|(?:in)?eligib\w+|permitted|allow(?:ed)?|non-?\w+able|restrict\w+"
    r"|(?:can(?:not|'t| not)|can only|may not|must) be \w+(?:ed|en|t)\b|only (?:if|when|within)|regardless|exceptions?"
    r"|conditions?|does(?: not|n't) (?:cover|include|apply))"
)


class Closing(NamedTuple):
    """What an answer does at its end; each part holds the words that say so, or nothing."""

    text: str
    gives_up: str
    asks_back: str
    declined: bool = False  # for a rule that was named


class FinalAnswer(NamedTuple):
    """The last answer that says something, the message that it answers, and its turn."""

    text: str
    request: str
    turn: int  # position


def final_answer(reading: Reading) -> FinalAnswer:
    """The last answer. What only replies to thanks, or only ends a discussion, is passed over."""
    turns = [(t, turn) for t, turn in enumerate(reading.trace.turns) if answer(turn)]
    while len(turns) > 1 and is_farewell(turns[-1][1].user_message or ""):
        turns.pop()
    if not turns:
        return FinalAnswer("", "", len(reading.trace.turns) - 1)
    t, turn = turns[-1]
    said = [act.agent_response for act in turn.agent_interactions if act.agent_response]
    while len(said) > 1 and STOP_WORD.fullmatch(said[-1][:40]):
        said.pop()
    return FinalAnswer(said[-1], turn.user_message or "", t)


def is_farewell(message: str) -> bool:
    """Whether a message only thanks."""
    return (
        len(message) <= MAX_FAREWELL_CHARACTERS and "?" not in message and FAREWELL.search(message.lower()) is not None
    )


def is_declined_for_a_rule(reading: Reading) -> bool:
    """Whether an answer of a conversation declines and names a rule. That settles a request against the rules."""
    texts = (
        (answer(turn)[:MAX_ANSWER_CHARACTERS] for turn in reading.trace.turns) if len(reading.trace.turns) > 1 else ()
    )
    lines = (line.lower() for text in texts if DECLINES.said_in(text.lower()) for line in sentences(text))
    return any(DECLINES.said_in(line) and RULE.said_in(line) for line in lines)


def closing(said: str) -> Closing:
    """How this answer closes, its thinking aloud left out."""
    text = THINKING.sub("", said[-MAX_ANSWER_CHARACTERS:]).strip()
    low = text.lower()
    asked = next((match for match in ASKS_BACK.finditer(low) if not OFFERS.search(match[0])), None)
    return Closing(
        text,
        around(text, GIVES_UP.search(low)),
        text[asked.start() : asked.end()] if asked else "",
    )


def around(text: str, cue: re.Match[str] | None) -> str:
    """The words from a cue onwards, or nothing."""
    return text[cue.start() : cue.start() + 160] if cue else ""
