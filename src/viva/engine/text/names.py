"""Names and identifiers in a text: what a reader would have to copy exactly."""

import re

NAME = re.compile(r"\b[A-Z][\w&'’-]*(?:\s+(?:of|the|de|van|von|and|&)?\s?[A-Z][\w&'’-]*)*")
IDENTIFIER = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.]{0,63}\w|https?://[^\s\"'<>)]*[^\s\"'<>).,;:!?]|#?\b(?=\w*\d)(?=\w*[A-Za-z_])[\w-]{3,}\b|#\d+|\b\d{4,}\b|\b\w+_\w+\b"
)
TELLING = re.compile(r"[\d_@]|://")  # no identifier is without one of these
QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|'([^'\n]{3,80})'(?!\w)|`([^`\n]{1,80})`")


def names(text: str) -> list[str]:
    """Capitalised names that do not merely begin a sentence, in their order."""
    return [
        match[0]
        for match in NAME.finditer(text)
        if " " in match[0] or not begins_sentence(text, match.start()) or match[0][1:].lower() != match[0][1:]
    ]


def begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 12) : at].rstrip(" \"'“‘([*-")
    return not before or before[-1] in ".!?:\n"


def identifiers(text: str) -> list[str]:
    """Mail addresses, links, codes, numbers of four digits or more, names with underscores."""
    return [
        found
        for piece in text.split()
        if not piece.isalpha() and TELLING.search(piece)
        for found in IDENTIFIER.findall(piece)
    ]
