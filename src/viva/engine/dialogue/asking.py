"""Asking: how alike two requests are, as named features; names, numbers, times and opposites kept apart."""

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

from viva.engine.reading import Reading
from viva.engine.text.names import identifiers, names
from viva.engine.text.numbers import numbers
from viva.engine.text.phrases import Phrases
from viva.engine.text.polarity import negates, opposites, rivals
from viva.engine.text.remembering import remember
from viva.engine.text.words import KEPT, STOP, stem, telling, words

LOOKED_AT = 1_000  # characters of a request; what follows is material to work on
WORDS = 40  # content words of a request that are compared one by one
FRAME = frozenset(  # words a question is asked with; they say little about what is asked
    stem(word)
    for word in "best good way make do get find know tell give show want need help like look thing people one use using work"
    " explain mean meaning reason cause someone anyone somebody ever possible able say think feel go please could would i'd"
    " i'm what's it's i've you're don't can't isn't doesn't let us me thank thanks yes no not ok okay sure great good fine right nice"
    " hi hello bye goodbye alright nope yeah that's nothing anything something else well cool perfect".split()
)
KINDS_OF_QUESTION = {
    "when": re.compile(r"\b(?:when|what (?:time|date|day|year)|how long|since when|how soon)\b"),
    "where": re.compile(r"\b(?:where|what (?:place|city|address|location)|how far)\b"),
    "who": re.compile(r"\b(?:who|whose|whom)\b"),
    "why": re.compile(
        r"\b(?:why|what (?:makes?|caused?|causes|is the (?:reason|cause)|are the (?:reasons|causes))|reasons?|how come)\b"
    ),
    "whether": re.compile(
        r"^(?:and |but |so )?(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had)\b"
    ),
    "how_much": re.compile(
        r"\b(?:how (?:much|many|often|big|large|expensive)|price|cost|number of|percentage|count)\b"
    ),
}

MORE = Phrases(r"(?:else|another|others?|more|also|besides|apart from|next|second|after (?:this|that|which))\b")
NONE: frozenset[str] = frozenset()
TURNS = {  # small words that turn a request round; too common to be in a table of opposites
    one: frozenset({two})
    for pair in (
        "on off",
        "in out",
        "up down",
        "over under",
        "before after",
        "with without",
        "to from",
        "more less",
        "most least",
    )
    for one, two in (pair.split(), pair.split()[::-1])
}


def features(reading: Reading, first: str, second: str) -> dict[str, float]:
    """How the second request relates to the first; all but the sentence model's likeness, which costs more."""
    first, second = first[:LOOKED_AT], second[:LOOKED_AT]
    return {"static": reading.alike(first, second), **apart(reading, first, second)}


@lru_cache(maxsize=512)
def topic(text: str) -> tuple[str, ...]:
    """The stems of what is asked about, in order, without the words a question is asked with."""
    return tuple([word for word in map(telling, message_words(text)) if word and word not in FRAME][:WORDS])


@lru_cache(maxsize=512)
def word_set(text: str) -> frozenset[str]:
    """Every word of a message, once."""
    return frozenset(message_words(text))


@lru_cache(maxsize=64)
def message_words(text: str) -> list[str]:
    """The words of a message as far as it is looked at."""
    return words(text[:LOOKED_AT])


def apart(reading: Reading, first: str, second: str) -> dict[str, float]:
    """What makes two requests with nearly the same words two requests; the fewer other words differ, the surer."""
    one, two = word_set(first), word_set(second)
    alone = 1 / max(1, len(one - two), len(two - one))
    return {
        "other_number": alone * is_replaced(numbers(first), numbers(second)),
        "other_name": alone * other_name(reading, first, second),
        "opposite": alone * has_opposite(one, two),
        "other_negation": float(is_negated(first) != is_negated(second)),
        "asks_more": float(MORE.said_in(second.lower()) and not MORE.said_in(first.lower())),
        "other_kind": float(is_replaced(kinds_asked(first), kinds_asked(second))),
    }


def has_opposite(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether a word on one side only has its opposite on the other side only."""
    left, right = (frozenset(root for word in words for root in roots(word)) for words in (one - two, two - one))
    return any(
        (opposites().get(root, NONE) | rivals().get(root, NONE) | TURNS.get(root, NONE)) & right for root in left
    )


@remember(KEPT)
def roots(word: str) -> tuple[str, ...]:
    """The stem of a word, and of what it compares: highest, high."""
    base = next((word[: -len(end)] for end in ("est", "er") if word.endswith(end) and len(word) > len(end) + 2), word)
    return (word, stem(word), stem(base))


def is_replaced(one: AbstractSet[Any], two: AbstractSet[Any]) -> bool:
    """Whether each side has something that the other has not; more on one side only is detail, not another thing."""
    return bool(one - two) and bool(two - one)


@lru_cache(maxsize=512)
def kinds_asked(text: str) -> frozenset[str]:
    plain = text.lower()
    return frozenset(name for name, cue in KINDS_OF_QUESTION.items() if cue.search(plain))


def other_name(reading: Reading, first: str, second: str) -> float:
    """How unlike the names are that stand in one request only; 0 where one side has no name of its own."""
    known, seen = word_set(first), word_set(second)
    one, two = sorted(name_words(first) - seen), sorted(name_words(second) - known)
    if not one or not two:
        return 0.0
    return float(1 - (reading.static(one) @ reading.static(two).T).max())


@lru_cache(maxsize=512)
def name_words(text: str) -> frozenset[str]:
    """The words of names and codes, in lower case."""
    parts = {part for name in names(text) for part in words(name)}
    return frozenset(part for part in parts | {code.lower() for code in identifiers(text)} if part not in STOP)


def is_negated(text: str) -> bool:
    return any(negates(word) for word in word_set(text))
