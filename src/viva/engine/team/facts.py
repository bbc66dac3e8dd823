"""Facts in a text that others need: what must be copied exactly to be of use, such as ids, amounts, dates and names."""

import re
from typing import NamedTuple

from viva.engine.text.words import STOP

LOOKED_AT = 5_000  # characters of one text: beyond a page it is a dump, and nobody passes on a dump fact by fact
MAX_FACTS_PER_TEXT = 200  # facts of one text, for the same reason

# How much the loss of one fact costs the receiver.
KINDS = {
    "identifier": 1.0,  # cannot be guessed
    "amount": 1.0,  # cannot be guessed
    "date": 1.0,  # cannot be guessed
    "quoted": 0.6,  # wording that matters, but its sense may survive in other words
    "name": 0.6,  # may survive as a pronoun or a shorter form
    "count": 0.3,  # one digit: often a place in a list, and easily met by chance
}

BREAKS = '"“”`(){}[]<>|*=;\t\\'
LINE = "¶"  # stands for the end of a line while a text is cut into pieces
EDGES = ".,:!?'’-–—/$€£¥+#&…%"
NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
HOLDS_DIGIT = re.compile(r"\d")
ISO_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T.*)?")
DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
DAY_DIGITS = 2
MONTHS = {
    name[:length]: month
    for month, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
    for length in (3, len(name))
}
ORDINAL_OF = frozenset("step phase part case section result line point item round stage".split())
QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|`([^`\n]{2,80})`")


class Fact(NamedTuple):
    """One fact: `key` is equal for two ways of writing the same, `text` is how it was written."""

    key: str
    kind: str
    text: str


def facts(text: str) -> dict[str, Fact]:
    """The facts of a text by their keys, in the order of their first appearance."""
    pieces = cut_up(text)
    small = set(filter(str.islower, pieces))
    plain = set(filter(str.isalpha, small))
    found: dict[str, Fact] = {}
    fresh = True  # at the beginning of a sentence, where a capital says nothing
    for at, piece in enumerate(pieces):
        if piece in plain:
            fresh = False
            continue
        if piece == LINE:
            fresh = True
            continue
        bare = piece.strip(EDGES)
        fact = None
        if not bare.isalpha():
            fact = exact(bare, piece, pieces[at - 1] if at else "", pieces[at + 1 : at + 2]) if bare else None
        elif not fresh and not bare.islower() and (low := bare.lower()) not in small and low not in found:
            fact = name_fact(bare, pieces[at + 1 : at + 2])
        if fact is not None and found.setdefault(fact.key, fact) is fact and len(found) >= MAX_FACTS_PER_TEXT:
            break
        fresh = piece[-1] in ".!?:" if bare else fresh
    return found


def cut_up(text: str) -> list[str]:
    """The pieces of a text between spaces, brackets and quotation marks."""
    text = text[:LOOKED_AT].replace("\n", f" {LINE} ")
    for sign in BREAKS:
        text = text.replace(sign, " ")
    return text.split()


def exact(bare: str, piece: str, before: str, after: list[str]) -> Fact | None:
    """A number, a day, or a word that holds digits or signs, as a fact."""
    if not bare[0].isdigit():
        return code_fact(bare)
    if NUMBER.fullmatch(bare):
        return number_fact(bare, piece, before, after)
    if day := ISO_DAY.fullmatch(bare):
        return Fact(f"{int(day[2])}/{int(day[3])}", "date", bare)
    if DAY.fullmatch(bare):
        return date_fact(bare, before, after)
    return code_fact(bare)


def code_fact(bare: str) -> Fact | None:
    """A word that is a code, an address or a name with signs in it."""
    if not 3 <= len(bare) <= 200:
        return None
    if HOLDS_DIGIT.search(bare) or "@" in bare or "://" in bare:
        return Fact(bare.lower(), "identifier", bare)
    return Fact(bare.lower(), "name", bare) if "_" in bare else None


def number_fact(bare: str, piece: str, before: str, after: list[str]) -> Fact | None:
    if len(bare) <= DAY_DIGITS and (day := date_fact(bare, before, after)) is not None:
        return day
    plain = bare.replace(",", "")
    key = plain.rstrip("0").rstrip(".") if "." in plain else plain
    if len(key) > 1 or piece[0] in "$€£¥#" or piece[-1] == "%":
        return Fact(key, "identifier" if piece[0] == "#" or len(key) > 6 else "amount", bare)
    marks_a_place = piece[-1] in ".:)" or before.lower().strip(EDGES) in ORDINAL_OF
    return None if marks_a_place else Fact(key, "count", bare)


def date_fact(bare: str, before: str, after: list[str]) -> Fact | None:
    """A day beside the name of its month: "May 23" and "23 May" are one."""
    day = DAY.fullmatch(bare)
    if day is None:
        return None
    for word in (before, *after):
        month = MONTHS.get(word.strip(EDGES).lower())
        if month:
            return Fact(f"{month}/{int(day[1])}", "date", f"{word.strip(EDGES)} {bare}")
    return None


def name_fact(bare: str, after: list[str]) -> Fact | None:
    low = bare.lower()
    if len(low) < 2 or low in STOP:
        return None
    if low in MONTHS and after and DAY.fullmatch(after[0].strip(EDGES)):
        return None  # the day beside it carries the month
    return Fact(low.removesuffix("'s"), "name", bare)


def quotations(text: str) -> dict[str, Fact]:
    """What somebody put into quotation marks, as facts. For prose: in data every string is quoted."""
    spans = (next(filter(None, match.groups())) for match in QUOTED.finditer(text[:LOOKED_AT]))
    return {key: Fact(key, "quoted", span) for span in spans if " " in (key := " ".join(span.lower().split()))}
