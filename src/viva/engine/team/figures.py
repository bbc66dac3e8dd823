"""Figures and codes in a text with the words beside them, and those that one text tells otherwise than another."""

import re
from functools import lru_cache
from typing import NamedTuple

from viva.engine.text.words import telling

TOKEN = re.compile(r"\w(?:\w|[@:/.,'-](?=\w))*|[€$£%]")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LETTERS, DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
DENIED = re.compile(r"\b(?:not|nicht|no|instead of|statt) (?:[$€£] ?)?(\d+(?:[.,]\d+)*)(?![\w%])")
MAX_CHARACTERS = 5_000
MAX_FIGURES = 80  # of one text, and of those that others may be computed from
BESIDE = 3  # words on each side of a figure that say what it counts
SAME_WORDS = 2  # beside two figures that are told of one thing
FEW_FIGURES = 3  # of a text, up to which every other figure said instead of one of them is about the same


class Figure(NamedTuple):
    """A number or a code: how it was written, its value, its look (nothing for numbers), and the words beside it."""

    written: str
    value: float | str
    look: str
    beside: frozenset[str]


@lru_cache(maxsize=256)
def figures(text: str) -> tuple[Figure, ...]:
    """The numbers and codes of a text in their order."""
    tokens = TOKEN.findall(text[:MAX_CHARACTERS])
    words = ["" if DIGITS.search(token) else telling(token.lower()) for token in tokens]
    found: list[Figure] = []
    for at, (token, word) in enumerate(zip(tokens, words, strict=True)):
        if not word and DIGITS.search(token) and len(token) <= MAX_FIGURES:
            beside = frozenset(words[max(0, at - BESIDE) : at + BESIDE + 1]) - {""}
            value = number(token) if NUMBER.fullmatch(token) else token.lower()
            look = "" if isinstance(value, float) else DIGITS.sub("9", LETTERS.sub("a", value))
            found.append(Figure(token, value, look, beside))
            if len(found) == MAX_FIGURES:
                break
    return tuple(found)


def values_of(text: str) -> set[float | str]:
    """The numbers and codes of a text, and the numbers inside its codes."""
    found: set[float | str] = {figure.value for figure in figures(text)}
    return found | {float(part) for one in found if isinstance(one, str) for part in DIGITS.findall(one)[:10]}


def number(written: str) -> float:
    """The value of a number: "1,200" is 1200, "44,49" is 44.49."""
    *whole, last = re.split(r"[.,]", written[:40])
    if not whole:
        return float(last)
    grouped = len(last) == 3 and ("," in written or len(whole) > 1)
    return float("".join(whole) + ("" if grouped else ".") + last)


def told_otherwise(said: str, source: str, known: set[float | str]) -> tuple[Figure, Figure] | None:
    """A figure that nobody had before, said where the source has another of its kind beside the same words.

    Where only one word is the same, what can be computed from known figures is no contradiction.
    """
    ours, theirs = figures(said), figures(source)
    values, others = {figure.value for figure in ours}, {figure.value for figure in theirs}
    if not theirs or not (values & others or len(others) <= FEW_FIGURES):
        return None
    for new in ours:
        if new.value in known:
            continue
        for old in theirs:
            same = len(new.beside & old.beside) if old.look == new.look and old.value not in values else 0
            if same >= SAME_WORDS or (
                same and not (isinstance(new.value, float) and is_computed(new.value, known | values))
            ):
                return new, old
    return None


def denied_figure(said: str, known: set[float | str]) -> str | None:
    """A known figure that a text says is not so, while it has another that nobody had before."""
    denied = [match[1] for match in DENIED.finditer(said[:MAX_CHARACTERS].lower()) if number(match[1]) in known]
    fresh = [figure for figure in figures(said) if figure.value not in known]
    return denied[0] if denied and fresh else None


def is_computed(value: float, known: set[float | str]) -> bool:
    """Whether a number is the sum, difference, product or ratio of two known ones, or a per cent of one."""
    rest = sorted(one for one in known if isinstance(one, float) and one != value)[:MAX_FIGURES]
    pool = {*rest, *(one / 100 for one in rest), 7.0, 12.0, 24.0, 60.0, 100.0}  # days, months, hours, minutes, per cent
    near = {round(one, 4) for one in pool}
    for one in pool:
        wanted = [value - one, one - value]
        if one:
            wanted += [value / one, one / value if value else 0.0, value * one]
        if any(round(other, 4) in near for other in wanted):
            return True
    return False
