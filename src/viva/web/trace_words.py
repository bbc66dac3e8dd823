"""Marks the words of a text that findings rest on. A quotation has its white space collapsed and may be cut."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

MAX_TEXT_CHARACTERS_SHOWN = 20_000  # of one text; the raw JSON has all
MIN_TEXT_CHARACTERS_SHOWN = 300  # of each text, once a page has its most
MAX_PAGE_TEXT_CHARACTERS = 300_000  # of all texts of one page
FOLDED_TEXT_CHARACTERS = 1_500  # a longer text is folded after its beginning


class Quotation(NamedTuple):
    """Words that a finding rests on, with the number of the finding, and the step that they stand in if it is known."""

    words: str
    finding: int
    step: int | None = None


class Segment(NamedTuple):
    """A part of a text, with the numbers of the findings that rest on it."""

    text: str
    findings: tuple[int, ...] = ()


class MarkedText(NamedTuple):
    """A text in segments. `left_out` characters at its end are not shown."""

    segments: list[Segment]
    beginning: str  # shown while a long text is folded; empty if it is not long
    length: int
    left_out: int


class WordSpan(NamedTuple):
    start: int
    end: int
    finding: int


class TextBudget:
    """The characters that one page may still show."""

    def __init__(self, characters: int = MAX_PAGE_TEXT_CHARACTERS) -> None:
        self.left = characters

    def take(self, length: int) -> int:
        """How many characters of a text of this length are shown."""
        shown = min(length, MAX_TEXT_CHARACTERS_SHOWN, max(self.left, MIN_TEXT_CHARACTERS_SHOWN))
        self.left -= shown
        return shown


def mark_text(text: str, quotations: Iterable[Quotation], budget: TextBudget) -> MarkedText:
    shown = text[: budget.take(len(text))]
    spans = [WordSpan(*at, one.finding) for one in quotations if (at := find_words(shown, one.words))]
    beginning = shown[: FOLDED_TEXT_CHARACTERS // 3] if len(shown) > FOLDED_TEXT_CHARACTERS and not spans else ""
    return MarkedText(cut_at_spans(shown, spans), beginning, len(text), len(text) - len(shown))


def find_words(text: str, words: str) -> tuple[int, int] | None:
    """Where the words stand in the text, whatever white space is between them."""
    plain = words.removesuffix("…").strip()
    if not plain:
        return None
    at = text.find(plain)
    if at >= 0:
        return at, at + len(plain)
    found = re.search(r"\s+".join(map(re.escape, plain.split())), text)
    return found.span() if found else None


def cut_at_spans(text: str, spans: list[WordSpan]) -> list[Segment]:
    """The text in pieces, so that spans may overlap."""
    cuts = sorted({0, len(text), *(place for span in spans for place in (span.start, span.end))})
    return [
        Segment(text[start:end], tuple(sorted({s.finding for s in spans if s.start <= start and end <= s.end})))
        for start, end in pairwise(cuts)
    ]
