"""Sentences of a text."""

import re

END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])|\n+")
SHORT_FORM = re.compile(r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|No|vs|etc|Inc|Ltd|Co|Jr|Sr|e\.g|i\.e|U\.S|approx))\.$")
LONGEST_FORM = 8  # characters of a short form, and the one before it


def sentences(text: str, limit: int = 200) -> list[str]:
    """The first sentences of a text, whole, in their order."""
    found: list[str] = []
    for piece in END.split(text):
        piece = piece.strip() if piece else ""
        if found and found[-1].endswith(".") and SHORT_FORM.search(found[-1][-LONGEST_FORM:]):
            found[-1] += " " + piece
        elif piece:
            found.append(piece)
        if len(found) > limit:
            break
    return found[:limit]
