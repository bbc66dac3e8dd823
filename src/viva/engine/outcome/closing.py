"""How an answer closes: with a report of what was done, a plan, a question back, or a refusal."""

import re
from itertools import accumulate
from typing import NamedTuple

MAX_ANSWER_CHARACTERS = 4_000  # characters of an answer that are looked at, from its end: the close is there
TAIL = 250  # characters in which an answer says what comes next
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
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
PLANS = re.compile(
    r"\b(?:i(?:'ll| will| need to| should| can| have to| am going to|'m going to| must)|let me|let's|next|now,? i"
    r"|we (?:need|can|should)|to (?:do|complete|address|accomplish) (?:this|that|the))\b"
)
REPORTS = re.compile(
    r"\b(?:successful\w*|(?:has|have) been|i(?:'ve| have) \w+|completed|done|is now|(?:was|were) \w+(?:ed|nt|id)|sent)\b"
)


class Closing(NamedTuple):
    """What an answer does at its end; each part holds the words that say so, or nothing."""

    text: str
    gives_up: str
    asks_back: str
    plans: str
    reports: str


def closing(answer: str) -> Closing:
    """How this answer closes, its thinking aloud left out."""
    text = THINKING.sub("", answer[-MAX_ANSWER_CHARACTERS:]).strip()
    low = text.lower()
    asked = next((match for match in ASKS_BACK.finditer(low) if not OFFERS.search(match[0])), None)
    tail = [piece for piece in SENTENCE_END.split(text[-TAIL:]) if not OFFERS.search(piece.lower())]
    return Closing(
        text,
        around(text, GIVES_UP.search(low)),
        text[asked.start() : asked.end()] if asked else "",
        plan_text(tail),
        around(text, REPORTS.search(low)),
    )


def plan_text(pieces: list[str]) -> str:
    """The words of a plan, up to the end of their sentence: the next one may have been left out."""
    tail = " ".join(pieces)
    cue = PLANS.search(tail.lower())
    ends = accumulate(len(piece) + 1 for piece in pieces)
    return tail[cue.start() : next((end for end in ends if end > cue.start()), len(tail))].strip() if cue else ""


def around(text: str, cue: re.Match[str] | None) -> str:
    """The words from a cue onwards, or nothing."""
    return text[cue.start() : cue.start() + 160] if cue else ""
