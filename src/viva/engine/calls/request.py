"""What a request asks for, in pieces that a call can serve: amounts, names, quotations, codes and counted things."""

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from viva.engine.calls.knowledge import MAX_DIGITS, SCALES, SPELLED, Knowledge, find_words, round_number
from viva.engine.text.names import begins_sentence
from viva.engine.text.numbers import parse_number
from viva.engine.text.words import STOP, stem

MAX_REQUEST_CHARACTERS = 3_000  # more is a document, not a request
# An exponent ("m/s^2") or a number inside a code ("P125") is not an amount.
AMOUNT = re.compile(r"(?<![\w.^*])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(\s?(?:%|[^\W\d]+)|\))?", re.I)
QUOTED = re.compile(r"(?<!\w)(?:\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|'([^'\n]{1,80})'|`([^`\n]{1,80})`)(?!\w)")
CAPITAL = re.compile(r"(?<![\w'’])[A-Z][\w&.#+]*(?:[-'’][A-Za-z]\w*)*")
LOWER_WORD = re.compile(r"\b[a-z]+")
# A mail address, a path, a file, or a code of letters and digits.
IDENTIFIER = re.compile(
    r"\b[\w.+-]{1,64}@[\w-]{1,64}\.\w+|(?<![\w/])/[\w./-]{3,200}\w|\b[\w-]{1,64}\.[a-z]{2,4}\b(?<!e\.g)"
    r"|\b(?=[\w-]{4})[A-Za-z]{1,40}-?\d[\w-]{0,40}\b"
)
IDENTIFIER_MARK = re.compile(r"[@/.]\S|\d")  # no identifier is without one of these
CLAUSE = re.compile(  # in small letters; a run of spaces is entered at its beginning only
    r"(?<=[.?!;])[\"'”’)]*\s+|\n+|(?:,?(?<!\s)\s*+)?\b(?:and then|then|after that|followed by|as well as|additionally|moreover"
    r"|furthermore|and also|also|lastly|finally)\b,?\s*"
)
# Words with which people string several requests into one message, in small letters.
LINK = re.compile(
    r"\b(?:then|also|after that|afterwards|followed by|as well as|additionally|lastly|finally|secondly|thirdly"
    r"|another|both|each|respectively|the same for|do the same|in addition|compare|versus|vs|plus)\b"
)
COUNTED = re.compile(
    r"(?<![\w.])(two|three|four|five|six|seven|eight|[2-8])\s(?:(?:different|separate|other|new|more)\s)?"
    r"(?:[a-z-]+\s){0,2}?([a-z]{3,}s)\b"
)


class Amount(NamedTuple):
    """A number of a request: its value, and whether it is a percentage."""

    value: float
    percent: bool


class Request:
    """A request taken apart; each kind of piece is looked for when it is needed."""

    def __init__(self, message: str) -> None:
        self.text = message[:MAX_REQUEST_CHARACTERS]
        self.lowered = self.text.replace("İ", "i").lower()  # the one letter that would grow: places stay as in the text
        self.known = Knowledge()
        self.known.hear(self.text)

    @cached_property
    def amounts(self) -> list[Amount]:
        found = []
        for match in AMOUNT.finditer(self.text):
            unit = (match[2] or "").strip().lower()
            if unit not in (")", "st", "nd", "rd", "th") and len(match[1]) <= MAX_DIGITS:
                is_length = unit == "m" and self.text[max(0, match.start() - 1) : match.start()] not in ("$", "€", "£")
                value = round_number(parse_number(match[1]) * SCALES.get("" if is_length else unit, 1.0))
                found.append(Amount(value, unit in ("%", "percent")))
        return found

    @cached_property
    def names(self) -> list[str]:
        """The words of names in lower case: not the first of a sentence."""
        plain = {stem(word) for word in LOWER_WORD.findall(self.text)}
        return [
            word
            for match in CAPITAL.finditer(self.text)
            if not begins_sentence(self.text, match.start())
            for word in map(str.lower, find_words(match[0]))
            if word not in STOP and len(word) > 1 and word.isalpha() and stem(word) not in plain
        ]

    @cached_property
    def quotes(self) -> list[str]:
        """What stands in quotation marks, unless it is the request itself; addresses, files, paths and codes."""
        found = [next(filter(None, match.groups())) for match in QUOTED.finditer(self.text)]
        pieces = filter(IDENTIFIER_MARK.search, self.text.split())
        codes = [code for piece in pieces for code in IDENTIFIER.findall(piece)]
        return list(dict.fromkeys([*(quote for quote in found if len(quote) < len(self.text) / 2), *codes]))

    @cached_property
    def links(self) -> int:
        """How many words string another wish to the one before."""
        return len(LINK.findall(self.lowered))

    @cached_property
    def counts(self) -> list[int]:
        """How many things a request says it is about: "two triangles", "four individuals"."""
        return [int(SPELLED.get(match[1]) or match[1]) for match in COUNTED.finditer(self.text)]

    @property
    def is_single(self) -> bool:
        """Whether a request asks for one thing: one clause, no list, no word that joins another."""
        joins = " and " in self.text or "," in self.text or " or " in self.text
        return not joins and not self.links and count_clauses(self.lowered) == 1


@lru_cache(maxsize=256)
def parse_request(message: str) -> Request:
    return Request(message)


def count_clauses(text: str) -> int:
    """How many clauses a text in lower case has: sentences, and what "then" and the like join."""
    return sum(len(piece) > 3 and not piece.isspace() for piece in CLAUSE.split(text))
