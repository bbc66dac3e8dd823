"""Figures in a text: numbers, codes and addresses, with the words beside them, and those told otherwise than before."""

import re
from collections.abc import Set
from functools import lru_cache
from typing import NamedTuple

from viva.engine.text.numbers import parse_number
from viva.engine.text.words import telling

TOKEN = re.compile(r"\w+(?:[@:/.,'-]\w+)*|[€$£%]")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LETTERS, DIGITS, FIGURE = re.compile(r"[^\W\d_]+"), re.compile(r"\d+"), re.compile(r"[\d@]")
MAX_CHARACTERS = 5_000
MAX_TOKEN_CHARACTERS = 80
MAX_FIGURES = 80  # of one text, and of those that others may be computed from
BESIDE = 3  # words on each side of a figure that say what it counts
SAME_WORDS = 2  # beside two figures that are told of one thing
USUAL_FACTORS = (7.0, 12.0, 24.0, 60.0, 100.0, 365.0, 1000.0)  # days, months, hours, minutes, per cent, metres
FEW_FIGURES = 3  # of a text, up to which every other figure said instead of one of them is about the same


class Figure(NamedTuple):
    """A number, a code or an address: how it was written, its value, its look (nothing for numbers), what stands around it."""

    written: str
    value: float | str
    look: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def unit(self) -> frozenset[str]:
        """The words next to it."""
        return telling_words(self.before[-1:] + self.after[:1])

    @property
    def beside(self) -> frozenset[str]:
        """The words around it, which say what it counts."""
        return telling_words(self.before + self.after)


def telling_words(tokens: tuple[str, ...]) -> frozenset[str]:
    """The words and codes among tokens, without numbers and small words."""
    return frozenset([code_or_word(token) for token in tokens if not NUMBER.fullmatch(token)]) - {""}


def code_or_word(token: str) -> str:
    return token.lower() if FIGURE.search(token) else telling(token.lower())


@lru_cache(maxsize=1_024)
def figures(text: str) -> tuple[Figure, ...]:
    text = text[:MAX_CHARACTERS].replace("_", " ")  # so that the words of names in code stand beside their figures
    if not FIGURE.search(text):
        return ()
    tokens = TOKEN.findall(text)
    exact = [at for at, token in enumerate(tokens) if not token.isalpha() and FIGURE.search(token)]
    return tuple(make_figure(tokens, at) for at in exact[:MAX_FIGURES] if len(tokens[at]) <= MAX_TOKEN_CHARACTERS)


def make_figure(tokens: list[str], at: int) -> Figure:
    token, around = tokens[at], (tuple(tokens[max(0, at - BESIDE) : at]), tuple(tokens[at + 1 : at + 1 + BESIDE]))
    if NUMBER.fullmatch(token):
        return Figure(token, parse_number(token[:40]), "", *around)
    return Figure(token, token.lower(), DIGITS.sub("9", LETTERS.sub("a", token.lower())), *around)


@lru_cache(maxsize=1_024)
def values_of(text: str) -> frozenset[float | str]:
    """The figures of a text, and the numbers inside its codes."""
    found: set[float | str] = {figure.value for figure in figures(text)}
    inside = {float(part) for one in found if isinstance(one, str) for part in DIGITS.findall(one)[:10]}
    return frozenset(found | inside)


def told_otherwise(said: str, source: str, known: Set[float | str]) -> tuple[Figure, Figure] | None:
    """A figure that nobody had before, said where the source has another of its kind with the same words around it.

    Where only the unit is the same, what can be computed from known figures is no contradiction.
    """
    theirs = figures(source)
    fresh = [figure for figure in figures(said) if figure.value not in known] if theirs else []
    if not fresh:
        return None
    values, others = values_of(said), {figure.value for figure in theirs}
    if not values & others and len(others) > FEW_FIGURES:
        return None
    for new in fresh:
        for old in theirs:
            if old.look != new.look or old.value in values:
                continue
            if len(new.beside & old.beside) >= SAME_WORDS:
                return new, old
            if new.unit & old.unit and not (isinstance(new.value, float) and is_computed(new.value, known | values)):
                return new, old
    return None


def is_computed(value: float, known: Set[float | str]) -> bool:
    """Whether a number is the sum, difference, product or ratio of two known ones, or of one and a usual factor."""
    rest = [one for one in known if isinstance(one, float) and one != value][:MAX_FIGURES]
    factors = {*rest, *(one / 100 for one in rest), *USUAL_FACTORS}
    sums, products = {round(one, 4) for one in rest}, {round(one, 4) for one in factors}
    for one in rest:
        if round(value - one, 4) in sums or round(one - value, 4) in sums:
            return True
        ratios = [value / one, one / value] if one and value else []
        if any(round(other, 4) in products for other in (*ratios, value * one)):
            return True
    return False
