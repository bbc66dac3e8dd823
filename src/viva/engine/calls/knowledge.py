"""What an agent could know when it called a tool: words, codes and numbers that it had been told or had read."""

import re
from itertools import islice
from typing import NamedTuple

from viva.engine.text import dates
from viva.engine.text.numbers import parse_number
from viva.engine.text.remembering import remember
from viva.engine.text.words import KEPT, stem

MAX_READ_CHARACTERS = 20_000  # of one text; what follows is a dump
MAX_HEARD_CHARACTERS = 2_000_000  # of all texts: some half a second of one core
MAX_OPERANDS = 40  # the latest numbers, of which two may have been added or multiplied
MAX_DIGITS = 24  # a longer number is a key, not an amount
TOKEN = re.compile(r"[^\W_]+")
WORD = re.compile(r"[A-Z]{2,}(?=s?\b)|[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")
NUMBER = re.compile(
    r"(\d(?:\d{0,2}(?:[ ,]\d{3})+(?!\d)(?:\.\d+)?|\d*(?:[.,]\d+)?))(?:\s?(k|m|mn|bn|thousand|million|billion|hundred)\b|(%))?",
    re.I,
)
DIGIT = re.compile(r"\d")
LISTED = re.compile(r"(?<![\d.,])\d++(?:,\d++)++(?![\d.])")
MASKED = re.compile(
    r"@example\.|\[email|\*\*(?:(?<=\w\*\*)|\*{0,9}\w)"
)  # in small letters; begins as it is found fastest
EXACT = 1e9  # whole numbers below need no rounding
START_LETTERS = 4  # "cappucino" begins as "cappuccino", "German" as "Germany"


def table(text: str) -> dict[str, float]:
    """Words with their values from `word value` pairs."""
    parts = text.split()
    return dict(zip(parts[::2], map(float, parts[1::2]), strict=True))


SCALES = table("k 1e3 thousand 1e3 m 1e6 million 1e6 mn 1e6 billion 1e9 bn 1e9 trillion 1e12 hundred 1e2")
SPELLED = table(
    "zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 thirteen 13"
    " fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty 20 thirty 30 forty 40 fifty 50"
    " sixty 60 seventy 70 eighty 80 ninety 90 hundred 100 thousand 1e3 million 1e6 billion 1e9 dozen 12 half 0.5"
    " quarter 0.25 couple 2 pair 2 both 2 twice 2 single 1 double 2 triple 3 first 1 second 2 third 3 fourth 4 fifth 5"
    " week 7 weeks 7 fortnight 14 month 30 year 365 weekend 2 decade 10 century 100 noon 12 midnight 24"
)
# By which factor an amount changes when its unit does: minutes, hours, months, percents, thousands.
CONVERSIONS = tuple(
    factor for unit in (1.0, 7.0, 12.0, 24.0, 60.0, 100.0, 1e3, 3600.0, 1e6) for factor in {unit, 1 / unit}
)
MONTHS = {name: float(k) for k, month in enumerate(dates.MONTHS, 1) for name in (month, month[:3])} | {"sept": 9.0}
RELATIVE_TIMES = frozenset(dates.WEEKDAYS) | frozenset(
    "today tonight tomorrow yesterday now next last latest current currently recent week weeks weekend days ago month"
    " morning afternoon evening noon midnight soon asap heute morgen gestern hoy mañana ayer".split()
)
# Short forms that the letters of the words do not show.
CODES: dict[str, str] = dict(
    pair.split(":")
    for pair in (
        "dollar:usd dollars:usd pound:gbp pounds:gbp euros:eur rupees:inr francs:chf pesos:mxn sterling:gbp british:gbp euro:eur yen:jpy japanese:jpy yuan:cny chinese:cny rupee:inr franc:chf"
        " swiss:chf peso:mxn american:usd australian:aud canadian:cad kingdom:uk america:us celsius:metric"
        " fahrenheit:imperial feet:ft foot:ft german:de germany:de spanish:es english:en french:fr"
    ).split()
)


class Knowledge:
    """Grows with every text that is heard. Each look-up takes constant time, however long the run."""

    def __init__(self) -> None:
        self.tokens: set[str] = set()  # as they were written
        self.stems: set[str] = set()
        self.starts: set[str] = set()
        self.codes: set[str] = set()
        self.numbers: dict[float, None] = {}
        self.has_relative_time = False
        self.has_masked_names = False  # names were taken out of the recording: what was made of them is unknown
        self.heard_characters = 0

    @property
    def is_full(self) -> bool:
        return self.heard_characters > MAX_HEARD_CHARACTERS

    def hear(self, text: str) -> None:
        """Take up a text. One who is full hears no more, and cannot say what was not said."""
        if self.is_full:
            return
        text = text[:MAX_READ_CHARACTERS]
        self.heard_characters += len(text)
        words: set[str] = set()
        tokens = set(TOKEN.findall(text)).difference(self.tokens)
        self.tokens |= tokens
        kept = (words, self.stems, self.starts, self.codes)
        for known, parts in zip(kept, zip(*map(take_apart, tokens), strict=True), strict=False):
            known.update(*parts)
        self.has_masked_names = self.has_masked_names or MASKED.search(text.lower()) is not None
        self.has_relative_time = self.has_relative_time or not words.isdisjoint(RELATIVE_TIMES)
        spelled = sorted([NUMBER_WORDS[word] for word in words & NUMBER_WORDS.keys()])
        for number in (*spelled, *numbers_in(text), *listed_numbers(text)):
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


def find_words(text: str) -> list[str]:
    """The words of a text; "sendMoney" and "send_money" are two."""
    return [part for token in TOKEN.findall(text) for part in split_token(token)]


def split_token(token: str) -> list[str]:
    is_plain = token.islower() or token.istitle() or not token.isascii()
    return [token] if is_plain and token.isalpha() else WORD.findall(token)


class TokenParts(NamedTuple):
    """A token and its words in lower case, their stems and beginnings, and the token as a code if it is one."""

    words: tuple[str, ...]
    stems: tuple[str, ...]
    starts: tuple[str, ...]
    codes: tuple[str, ...]


@remember(KEPT)
def take_apart(token: str) -> TokenParts:
    words = tuple({token.lower(), *map(str.lower, split_token(token))})
    stems = (*map(stem, words), *(CODES[word] for word in words if word in CODES))
    starts = tuple(word[:START_LETTERS] for word in words)
    return TokenParts(words, stems, starts, () if token.isalpha() else (token.lower(),))


def numbers_in(text: str) -> list[float]:
    """The numbers written in digits, in their order; one with a scale also by itself, a percentage also as a ratio."""
    found: list[float] = []
    if not DIGIT.search(text):
        return found
    for match in NUMBER.finditer(text):
        digits, scale, percent = match.groups()
        if len(digits) <= MAX_DIGITS:
            value = float(digits) if digits.isdecimal() else parse_number(digits)
            found.append(round_number(value))
            if scale:
                found.append(round_number(value * SCALES[scale.lower()]))
            if percent:
                found.append(round_number(value / 100))
    return found


def listed_numbers(text: str) -> list[float]:
    """The members of lists like [23,45,44], which may be read as decimals too."""
    listed = [match[0].split(",") for match in LISTED.finditer(text)] if "," in text else []
    return [round_number(float(digits)) for members in listed for digits in members if len(digits) <= MAX_DIGITS]


def round_number(value: float) -> float:
    exact = float(value)
    return exact if exact.is_integer() and exact < EXACT else float(f"{exact:.9g}")
