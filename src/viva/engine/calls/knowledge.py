"""What an agent could know when it called a tool: words, codes and numbers that it had been told or had read."""

import re
from itertools import islice

from viva.engine.calls.lexicon import CODES, CONVERSIONS, MONTHS, RELATIVE_TIMES, SCALES, SPELLED
from viva.engine.text.words import stem

MAX_READ_CHARACTERS = 20_000  # of one text; what follows is a dump
MAX_OPERANDS = 40  # the latest numbers, of which two may have been added or multiplied
MAX_DIGITS = 24  # a longer number is a key, not an amount
TOKEN = re.compile(r"[^\W_]+")
WORD = re.compile(r"[A-Z]{2,}(?=s?\b)|[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")
NUMBER = re.compile(
    r"(\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?:\s?(k|m|mn|bn|thousand|million|billion|hundred)\b|(%))?", re.I
)
START_LETTERS = 4  # "cappucino" begins as "cappuccino", "German" as "Germany"


class Knowledge:
    """Grows with every text that is heard. Each look-up takes constant time, however long the run."""

    def __init__(self) -> None:
        self.stems: set[str] = set()
        self.starts: set[str] = set()
        self.codes: set[str] = set()
        self.numbers: dict[float, None] = {}
        self.has_relative_time = False

    def hear(self, text: str) -> None:
        text = text[:MAX_READ_CHARACTERS]
        tokens = set(TOKEN.findall(text.lower()))
        self.codes |= {token for token in tokens if not token.isalpha()}
        words = tokens | {word.lower() for word in set(WORD.findall(text))}
        self.stems |= set(map(stem, words)) | {CODES[word] for word in words & CODES.keys()}
        self.starts |= {word[:START_LETTERS] for word in words}
        self.has_relative_time = self.has_relative_time or not words.isdisjoint(RELATIVE_TIMES)
        for number in (*sorted(NUMBER_WORDS[word] for word in words & NUMBER_WORDS.keys()), *numbers_in(text)):
            self.numbers.pop(number, None)
            self.numbers[number] = None

    def has_word(self, word: str) -> bool:
        """Whether a word was heard, perhaps in another form or spelt otherwise."""
        return stem(word) in self.stems or (len(word) >= START_LETTERS and word[:START_LETTERS] in self.starts)

    def has_number(self, value: float) -> bool:
        """Whether a number was heard, or follows from one: another unit, a ratio, an hour after noon."""
        return any(round_number(value * factor) in self.numbers for factor in CONVERSIONS) or (
            12 < value <= 24 and value - 12 in self.numbers
        )

    def can_compute(self, value: float) -> bool:
        """Whether a number is the sum, difference, product or ratio of two that were heard lately."""
        recent = list(islice(reversed(self.numbers), MAX_OPERANDS))
        known = set(recent)
        return any(
            round_number(value - one) in known
            or round_number(value + one) in known
            or (one and (round_number(value / one) in known or round_number(value * one) in known))
            for one in recent
        )


NUMBER_WORDS = SPELLED | MONTHS


def numbers_in(text: str) -> list[float]:
    """The numbers written in digits, in their order; one with a scale also by itself, a percentage also as a ratio."""
    found = []
    for match in NUMBER.finditer(text):
        if len(match[1]) <= MAX_DIGITS:
            value, scale = parse_number(match[1]), SCALES.get((match[2] or "").lower(), 1.0)
            found += [round_number(value * factor) for factor in dict.fromkeys((1.0, scale, 0.01 if match[3] else 1.0))]
    return found


def parse_number(digits: str) -> float:
    """A number as people write it: 1,200 and 1 200 are thousands, 44,49 has a decimal comma."""
    whole, comma, rest = digits.replace(" ", "").rpartition(",")
    is_decimal = comma and "." not in rest and len(rest) != 3
    return float(f"{whole}.{rest}" if is_decimal else whole.replace(",", "") + rest)


def round_number(value: float) -> float:
    return float(f"{value:.9g}")
