"""Sentences of a text."""

import re
from itertools import chain

# A gap between sentences, with the sign before it, for which one looks fast.
END = re.compile(r"[\n.!?](?:(?<=\n)\n*|(?<!\n)[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9]))")
SHORT_FORM = re.compile(r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|Inc|Ltd|Co|Jr|Sr|e\.g|i\.e|U\.S|approx))\.$")
LONGEST_FORM = 8  # characters of a short form, and the one before it


def sentences(text: str, limit: int = 200) -> list[str]:
    """The first sentences of a text, whole, in their order."""
    found: list[str] = []
    start = 0
    for gap in chain(END.finditer(text), (None,)):
        end = len(text) if gap is None else gap.start() + (text[gap.start()] != "\n")
        piece = text[start:end].strip()
        start = end if gap is None else gap.end()
        if found and found[-1].endswith(".") and SHORT_FORM.search(found[-1][-LONGEST_FORM:]):
            found[-1] += " " + piece
        elif piece:
            found.append(piece)
        if len(found) > limit:
            break
    return found[:limit]
