"""What a request asks for, in pieces that a call can serve: amounts, names, quotations, clauses and counted things."""

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from viva.engine.calls.lexicon import CALENDAR, CODES, CONVERSIONS, MONTHS, ORDINALS, SCALES, SPELLED
from viva.engine.text.words import STOP, stem

MAX_REQUEST_CHARACTERS = 6_000  # characters of one request; more is a document, not a request
# An exponent ("m/s^2") or a number inside a code ("P125") is not an amount.
NUMBER = re.compile(
    r"(?<![\w.^*])([$€£])?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+)(\s?(?:%|[^\W\d]+)|\))?", re.I
)
QUOTED = re.compile(r"(?<!\w)(?:\"([^\"\n]{1,80})\"|“([^”\n]{1,80})”|'([^'\n]{1,80})'|`([^`\n]{1,80})`)(?!\w)")
CAPITAL = re.compile(r"(?<![\w'’])[A-Z][\w&.#+]*(?:[-'’][A-Za-z]\w*)*")
WORD = re.compile(r"[A-Z]{2,}(?=s?\b)|[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")
PLAIN = re.compile(r"\b[a-z]+")
INITIAL = re.compile(r"\b[A-Z](?=\w)")
# A mail address, a path, a file, or a code of letters and digits.
IDENTIFIER = re.compile(
    r"\b[\w.+-]{1,64}@[\w-]{1,64}\.\w+|(?<![\w/])/[\w./-]{3,200}\w|\b[\w-]{1,64}\.[a-z]{2,4}\b(?<!e\.g)"
    r"|\b(?=[\w-]{4})[A-Za-z]{1,40}-?\d[\w-]{0,40}\b"
)
TELLING = re.compile(r"[@/.]\S|\d")  # no identifier is without one of these
# "300 Kelvin", "25 degrees Celsius": the word measures the number before it.
UNIT_BEFORE = re.compile(r"\d\s?°?\s?(?:degrees?\s)?$")
# "John has", "Sarah, who": the person a story is about, not what is asked for.
STORY = re.compile(
    r",? (?:who|is|was|has|had|have|wants?|wanted|needs?|decided|plans?|loves?|likes?|invested|chose|and (?:his|her))\b"
)
CLAUSE = re.compile(  # in small letters; a run of spaces is entered at its beginning only
    r"(?<=[.?!;])[\"'”’)]*\s+|\n+|(?:,?(?<!\s)\s*+)?\b(?:and then|then|after that|followed by|as well as|additionally|moreover"
    r"|furthermore|and also|also|lastly|finally)\b,?\s*"
)
# Words with which people string several requests into one message, in small letters.
ANOTHER = re.compile(
    r"\b(?:then|also|after that|afterwards|followed by|as well as|additionally|lastly|finally|secondly|thirdly"
    r"|another|both|each|respectively|the same for|do the same|in addition|compare|versus|vs|plus)\b|\bsecond(?=,|\s\w+\s)"
)
COUNTED = re.compile(
    r"(?<![\w.])(two|three|four|five|six|seven|eight|[2-8])\s(?:(?:different|separate|other|new|more)\s)?"
    r"(?:[a-z-]+\s){0,2}?([a-z]{3,}s)\b"
)
LIST = re.compile(
    r"(\s*,\s*(?:and|or|then)\s+|\s*,\s*|\s+(?:and|or|&|versus|vs\.?)\s+)(?:(?:the|a|an|in|for|at|of|to|from|on|by)\s+)*"
)
LAST = re.compile(r"[^.?!;]{0,60}?\b(?:and|or)\b")


class Amount(NamedTuple):
    """A number of a request: its value, whether it is a percentage, and where it stands."""

    value: float
    percent: bool
    at: int


class Request:
    """A request taken apart; what only the calls as a whole are held against is looked for when it is needed."""

    def __init__(self, message: str) -> None:
        self.text = text = message[:MAX_REQUEST_CHARACTERS]
        self.lowered = text.replace("İ", "i").lower()  # the one letter that would grow: places stay as in the text
        self.words = words = frozenset(word.lower() for word in WORD.findall(text))
        self.stems = frozenset(map(stem, words))
        self.initials = "".join(INITIAL.findall(text)).lower()
        # The short forms that the world gives to what the request names.
        self.codes = frozenset(code for word in words for code in CODES.get(word, ()))
        self.amounts = amounts(text)
        self.numbers = numbers(self.amounts, words)  # also in words and inside codes
        # By which an amount may be converted, from the units that the request speaks of.
        self.factors = tuple({factor for root in self.stems for factor in CONVERSIONS.get(root, ())} | {1.0})
        self.quotes = quotes(text)

    @cached_property
    def identifiers(self) -> list[str]:
        """Addresses, files, paths and codes, in lower case."""
        pieces = filter(TELLING.search, self.text.split())
        return list(dict.fromkeys(found.lower() for piece in pieces for found in IDENTIFIER.findall(piece)))

    @cached_property
    def names(self) -> list[tuple[str, int]]:
        """The words of names, in lower case, and where each stands."""
        return names(self.text)

    @cached_property
    def clauses(self) -> list[tuple[int, int]]:
        return clauses(self.lowered)

    @cached_property
    def links(self) -> int:
        """How many words string another wish to the one before."""
        return len(ANOTHER.findall(self.lowered))

    @cached_property
    def counts(self) -> list[int]:
        return find_counts(self.text)


@lru_cache(maxsize=256)
def parse_request(message: str) -> Request:
    """The pieces of a request."""
    return Request(message)


def amounts(text: str) -> tuple[Amount, ...]:
    found = []
    for match in NUMBER.finditer(text):
        unit = (match[3] or "").strip().lower()
        if (unit == ")" and begins_line(text, match.start())) or (
            unit in ("st", "nd", "rd", "th") and not is_day_of_month(text, match)
        ):
            continue
        scale = 1e6 if match[1] and unit == "m" else SCALES.get(unit, 1.0)
        value = round(float(match[2].replace(",", "")) * scale, 12)
        found.append(Amount(value, unit in ("%", "percent", "percentage"), match.start()))
    return tuple(found)


def begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def is_day_of_month(text: str, match: re.Match[str]) -> bool:
    """Whether an ordinal is a day of a month, which a call has to use."""
    around = text[max(0, match.start() - 12) : match.end() + 16].lower()
    return any(word in MONTHS for word in PLAIN.findall(around))


def numbers(found: tuple[Amount, ...], words: frozenset[str]) -> frozenset[float]:
    spelled = {SPELLED[word] for word in words if word in SPELLED}
    digits = {float(word[:15]) for word in words if word.isdecimal()}
    spelled |= {MONTHS[word] for word in words if word in MONTHS}
    ratios = {round(amount.value / 100, 9) for amount in found if amount.percent}
    return frozenset({amount.value for amount in found} | ratios | spelled | digits)


def quotes(text: str) -> list[str]:
    """What stands in quotation marks, unless it is the request itself."""
    found = [next(filter(None, match.groups())) for match in QUOTED.finditer(text)]
    return [quote for quote in found if len(quote) < len(text) / 2]


def names(text: str) -> list[tuple[str, int]]:
    """The words of names: capitalised, but not as the first of a sentence, a unit, or the hero of the story."""
    plain = {stem(word) for word in PLAIN.findall(text)}
    return [
        (word, match.start() + inner.start())
        for match in CAPITAL.finditer(text)
        if not (begins_sentence(text, match.start()) or is_unit(text, match.start()) or STORY.match(text, match.end()))
        for inner in WORD.finditer(match[0])
        if is_name(inner[0].lower(), plain) and (word := inner[0].lower())
    ]


def is_name(word: str, plain: set[str]) -> bool:
    other = word in STOP or word in CALENDAR or word in ORDINALS
    return len(word) > 1 and not other and stem(word) not in plain and not (word.isdecimal() and len(word) < 4)


def begins_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - 40) : at].rstrip(" \"'“‘([*-")
    return not before or before[-1] in ".!?:\n"


def is_unit(text: str, at: int) -> bool:
    return UNIT_BEFORE.search(text[max(0, at - 12) : at]) is not None


def clauses(text: str) -> list[tuple[int, int]]:
    """Where each clause of a text in lower case begins and ends: sentences, and what "then" and the like join."""
    edges = [0, *(edge for match in CLAUSE.finditer(text) for edge in match.span()), len(text)]
    pieces = zip(edges[::2], edges[1::2], strict=True)
    return [(start, end) for start, end in pieces if end - start > 3 and not text[start:end].isspace()]


def find_counts(text: str) -> list[int]:
    """How many things a request says it is about: "two triangles", "four individuals"."""
    return [int(SPELLED.get(match[1]) or match[1]) for match in COUNTED.finditer(text)]


def next_in_list(request: Request, end: int) -> str:
    """The word that follows in a list after the place `end`: "Madrid" after "Berlin" in "Berlin and Madrid"."""
    match = LIST.match(request.text, end)
    if match is None or (match[1].strip() == "," and not LAST.match(request.text, match.end())):
        return ""
    word = WORD.match(request.text, match.end())
    return word[0] if word else ""
