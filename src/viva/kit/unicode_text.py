"""Normalises text in linear time. Python alone takes quadratic time for a run of combining marks."""

import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

# The limit of the stream-safe text format of UAX #15; no written language needs more than four.
MAX_MARKS_IN_A_ROW = 30
GRAPHEME_JOINER = "\N{COMBINING GRAPHEME JOINER}"  # invisible, and not a mark: it ends a run of marks
CACHED_CHARACTERS = 4_096

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


class MarkCount(NamedTuple):
    """How many combining marks a character has when it is decomposed."""

    leading: int
    trailing: int
    is_only_marks: bool


def normalize_text(form: Form, text: str) -> str:
    """The normal form of the text. Runs of more than 30 combining marks are split first."""
    return text if text.isascii() else unicodedata.normalize(form, split_mark_runs(text))


def split_mark_runs(text: str) -> str:
    """The text with a joiner inside every run of more than 30 marks."""
    parts: list[str] = []
    start = run = 0
    for index, character in enumerate(text):
        if character < "\x80":  # ASCII has no marks
            run = 0
            continue
        marks = count_marks(character)
        if run + marks.leading > MAX_MARKS_IN_A_ROW:
            parts += [text[start:index], GRAPHEME_JOINER]
            start, run = index, 0
        run = run + marks.leading if marks.is_only_marks else marks.trailing
    return "".join([*parts, text[start:]])


@lru_cache(CACHED_CHARACTERS)
def count_marks(character: str) -> MarkCount:
    decomposed = unicodedata.normalize("NFKD", character)
    are_marks = [unicodedata.combining(sign) != 0 for sign in decomposed]
    if all(are_marks):
        return MarkCount(len(are_marks), len(are_marks), True)
    return MarkCount(are_marks.index(False), are_marks[::-1].index(False), False)
