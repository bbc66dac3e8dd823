"""How an answer closes: with a question back or a refusal."""

import re
from typing import NamedTuple

from viva.engine.model import Turn
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
    r"\b(?:i|we)(?:'m| am| was| were|'re| are|'ve| have)?(?: (?:currently|still|also|really|just|simply|unfortunately|therefore))? "
    r"(?:unable|not able|can(?:no|')t|can not|could(?:n't| not)|do(?:n't| not) (?:have|know|see|find)|did(?:n't| not) (?:find|see|get)"
    r"|(?:have|had|found) no\b|failed|not sure|afraid|sorry)"
    r"|\bunfortunately|\bno (?:information|records?|results?|access)\b|\b(?:it|this|that) (?:is|was) not (?:available|possible|found|accessible)"
    r"|\bunsuccessful|\bapologi[sz]e"
)
REQUESTS = re.compile(
    r"\bplease (?:provide|specify|confirm|clarify|tell|share|let me know (?:the|which|what|how))"
    r"|\bi(?: will|'ll)? (?:need|require)\b[^.\n]{0,40}\b(?:to know|more information|the following)|\bonce you\b"
)
CLOSING_SENTENCES = 2  # at the end of an answer, in which it asks back
OFFERS = re.compile(
    r"anything (?:else|i)|something else|any (?:other|further|more)|further assist|\belse (?:can|may|could|i can|you)|feel free"
    r"|\b(?:how|what) (?:can|may|could) i (?:help|assist|do for)"
    r"|\b(?:would you like|do you want) (?:me to|more|to (?:know|learn|see))\b"
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
    while len(turns) > 1 and is_farewell(turns[-1][1].user_message or "") and not has_calls(turns[-1][1]):
        turns.pop()
    if not turns:
        return FinalAnswer("", "", len(reading.trace.turns) - 1)
    t, turn = turns[-1]
    said = [act.agent_response for act in turn.agent_interactions if act.agent_response]
    while len(said) > 1 and STOP_WORD.fullmatch(said[-1][:40]):
        said.pop()
    return FinalAnswer(said[-1], turn.user_message or "", t)


def has_calls(turn: Turn) -> bool:
    return any(step.tool_call for act in turn.agent_interactions for step in act.agent_steps)


def is_farewell(message: str) -> bool:
    """Whether a message only thanks."""
    return (
        len(message) <= MAX_FAREWELL_CHARACTERS and "?" not in message and FAREWELL.search(message.lower()) is not None
    )


def is_declined_for_a_rule(reading: Reading) -> bool:
    """Whether an answer of a conversation declines and names a rule. That settles a request against the rules."""
    turns = reading.trace.turns if len(reading.trace.turns) > 1 else ()
    texts = (answer(turn)[:MAX_ANSWER_CHARACTERS] for turn in turns)
    lines = (line.lower() for text in texts if DECLINES.said_in(text.lower()) for line in sentences(text))
    return any(DECLINES.said_in(line) and RULE.said_in(line) for line in lines)


def closing(said: str) -> Closing:
    """How this answer closes, its thinking aloud left out. Who names a rule declines, and does not give up."""
    text = THINKING.sub("", said[-MAX_ANSWER_CHARACTERS:]).strip()
    lines = sentences(text) if text else []
    gives_up = (line for line in lines if GIVES_UP.search(line.lower()) and not RULE.said_in(line.lower()))
    asks_back = (line for line in lines[-CLOSING_SENTENCES:] if asks_for_more(line.lower()))
    return Closing(text, next(gives_up, ""), next(asks_back, ""))


def asks_for_more(line: str) -> bool:
    """Whether a sentence asks the user for something; an offer of more help does not."""
    quotes = line.count('"') % 2  # the question ends inside a quotation
    asks = (line.rstrip(" *_)").endswith("?") and not quotes) or REQUESTS.search(line) is not None
    return asks and OFFERS.search(line) is None
