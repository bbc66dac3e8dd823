"""Asking: how alike two requests are, as named features; names, numbers, times and opposites kept apart."""

import re
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

from viva.engine.dialogue.language import SMALL_WORDS
from viva.engine.logistic import Feature, FeatureTable
from viva.engine.reading import Reading
from viva.engine.text.names import identifiers, names
from viva.engine.text.numbers import numbers
from viva.engine.text.polarity import contraries
from viva.engine.text.remembering import remember
from viva.engine.text.words import KEPT, overlap, stem, telling, words

LOOKED_AT = 1_000  # characters of a request; what follows is material to work on
WORDS = 40  # content words of a request that are compared one by one
ROOT = 6  # letters of a word that stay the same in its forms, where there is no stemmer
FRAME = frozenset(  # words a question is asked with; they say little about what is asked
    stem(word)
    for word in "best good way make do get find know tell give show want need help like look thing people one use using work"
    " explain mean meaning reason cause someone anyone somebody ever possible able say think feel go please could would i'd"
    " i'm what's it's i've you're don't can't isn't doesn't let us me thank thanks yes no not ok okay sure great good fine right nice"
    " hi hello bye goodbye alright nope yeah that's nothing anything something else well cool perfect".split()
)
COURTESY = frozenset(
    "please again just but so and ok okay then now hi hello still bitte nochmal also por favor".split()
)
KINDS_OF_QUESTION = {
    "when": re.compile(
        r"\b(?:when|what (?:time|date|day|year)|how (?:long|soon)|wann|wie (?:lange|viel uhr)|welche\w? (?:zeit|uhrzeit|datum|tag|jahr)"
        r"|\w+zeit|cuándo|qué hora)\b"
    ),
    "where": re.compile(
        r"\b(?:where|what (?:place|city|address|location)|how far|wo|wohin|woher|welche\w? (?:ort|stelle|stadt)|dónde)\b"
    ),
    "who": re.compile(r"\b(?:who|whose|whom|wer|wem|wen|welche person|quién)\b"),
    "why": re.compile(
        r"\b(?:why|what (?:makes?|causes?|caused)|reasons?|how come|warum|wieso|weshalb|woran|welchem grund|por qué)\b"
    ),
    "whether": re.compile(
        r"^(?:and |but |so )?(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had)\b"
    ),
    "how_much": re.compile(
        r"\b(?:how (?:much|many|often|big|large|expensive)|price|cost|number of|percentage|count|wie (?:viele?|teuer|hoch|groß|oft)"
        r"|kostet|zahle|größe|höhe|cuánt[oa]s?|precio)\b"
    ),
}
FURTHER = re.compile(  # what asks for one more, or for what comes after; who asks so twice has got one in between
    r"\b(?:else|others|another one|one more|any more|(?:any|some|which|what|the) other \w+|what(?: is| was| comes| happens)? next"
    r"|(?:after|before) that|afterwards|further|noch (?:ein\w{0,2}|was|etwas)|(?:ein|weiter|ander)e[rsn]? ander\w{1,2}|danach|otr[oa]s?|después|además)\b"
)
NONE: frozenset[str] = frozenset()
TURNS = {  # words that turn a request round: too common for the table of opposites, or of other languages
    one: frozenset(family.split()) - {one}
    for family in (
        "on off|in out|up down|over under|before after|with without|to from|more less|most least|ein aus|mit ohne|con sin"
        "|erste letzte nächste|primer último|hoy mañana ayer|heute morgen gestern|offen geschlossen|abierto cerrado"
        "|montag dienstag mittwoch donnerstag freitag samstag sonntag|lunes martes miércoles jueves viernes sábado domingo"
    ).split("|")
    for one in family.split()
}
ASKING_TABLE: FeatureTable = (
    Feature("sentence", "both messages mean the same", 1),
    Feature("overlap", "both messages have the same words", 1),
    Feature("other_number", "the numbers differ", -1),
    Feature("other_name", "the names differ", -1),
    Feature("opposite", "one asks for the opposite of the other", -1),
    Feature("other_kind", "they are questions of another kind", -1),
    Feature("further", "the later one asks for something further", -1),
)


@lru_cache(maxsize=1024)
def topic(text: str, tongue: str) -> frozenset[str]:
    """What a message is about: its words without small words, courtesies and words of asking; English ones as stems."""
    if tongue == "en":
        return frozenset([word for word in map(telling, message_words(text)) if word and word not in FRAME][:WORDS])
    small = SMALL_WORDS[tongue]
    return frozenset([word[:ROOT] for word in message_words(text) if word not in small and len(word) > 2][:WORDS])


@lru_cache(maxsize=512)
def word_set(text: str) -> frozenset[str]:
    return frozenset(message_words(text))


@lru_cache(maxsize=64)
def message_words(text: str) -> list[str]:
    return words(text[:LOOKED_AT])


def same_words(first: str, second: str) -> bool:
    """Whether two messages have the very same words but for courtesies."""
    return word_set(first) - COURTESY == word_set(second) - COURTESY


def common_letters(first: str, second: str, tongue: str) -> float:
    """How much of the shorter message's letters, three by three, the other has: forms and compounds without a stemmer."""
    one, two = (
        {
            f" {word} "[k : k + 3]
            for word in message_words(text)
            if word not in SMALL_WORDS[tongue]
            for k in range(len(word))
        }
        for text in (first, second)
    )
    return len(one & two) / min(len(one), len(two)) if one and two else 0.0


def features(reading: Reading, first: str, second: str, tongue: str) -> dict[str, float]:
    """How two requests relate, all but the sentence model's likeness; a sole difference tells more than one of many."""
    one, two = word_set(first), word_set(second)
    alone = 1 / max(1, len(one - two), len(two - one))
    return {
        "overlap": overlap(topic(first, tongue), topic(second, tongue))
        if tongue == "en"
        else common_letters(first, second, tongue),
        "other_number": alone * is_replaced(numbers(first), numbers(second)),
        "other_name": alone * other_name(reading, first, second, tongue),
        "opposite": alone * has_opposite(one, two),
        "other_kind": float(is_replaced(kinds_asked(first), kinds_asked(second))),
        "further": float(asks_further(second) and not asks_further(first)),
    }


def has_opposite(one: frozenset[str], two: frozenset[str]) -> bool:
    """Whether a word on one side only has its opposite on the other side only."""
    left, right = (frozenset(root for word in words for root in roots(word)) for words in (one - two, two - one))
    return any(not (right.isdisjoint(contraries(root)) and right.isdisjoint(TURNS.get(root, NONE))) for root in left)


@remember(KEPT)
def roots(word: str) -> tuple[str, ...]:
    """The stem of a word, and of what it compares: highest, high."""
    base = next((word[: -len(end)] for end in ("est", "er") if word.endswith(end) and len(word) > len(end) + 2), word)
    return (word, stem(word), stem(base))


def is_replaced(one: AbstractSet[Any], two: AbstractSet[Any]) -> bool:
    """Whether each side has something that the other has not; more on one side only is detail, not another thing."""
    return bool(one - two) and bool(two - one)


def asks_further(text: str) -> bool:
    return FURTHER.search(text.lower()) is not None


@lru_cache(maxsize=512)
def kinds_asked(text: str) -> frozenset[str]:
    plain = text.lower()
    return frozenset(name for name, cue in KINDS_OF_QUESTION.items() if cue.search(plain))


def other_name(reading: Reading, first: str, second: str, tongue: str) -> float:
    """How unlike the names are that stand in one request only; 0 where one side has no name of its own."""
    known, seen = word_set(first), word_set(second)
    one, two = sorted(name_words(first, tongue) - seen), sorted(name_words(second, tongue) - known)
    if not one or not two:
        return 0.0
    return float(1 - (reading.static(one) @ reading.static(two).T).max())


@lru_cache(maxsize=512)
def name_words(text: str, tongue: str) -> frozenset[str]:
    """The words of names and codes, in lower case; of German all nouns, which have a capital, too."""
    parts = {part for name in names(text) for part in words(name)} | {code.lower() for code in identifiers(text)}
    return frozenset(parts - SMALL_WORDS[tongue])
