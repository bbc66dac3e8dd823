"""The record of a run: what the agents saw and were told so far, as lines with their values."""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import msgspec

from viva.engine.text.names import names
from viva.engine.text.sentences import sentences
from viva.engine.text.values import Value, agree, values
from viva.engine.text.words import STOP, WORD, content

MAX_LINES = 60  # of one result; what follows is a dump
MAX_LINE_CHARACTERS = 2_000
MAX_FACTS = 500  # of a run, the latest; older ones seldom matter
MAX_HEARD_LINES = 600
SMALL_NUMBERS = range(13)  # that count things and need no source, and by which people multiply
MAX_OPERANDS = 60  # amounts that an agent may have reckoned with, the latest
BEFORE = 40  # characters before a value that say what it is the value of
JOINTS = re.compile(r"(?<=[a-z])(?=[A-Z])|_")  # of the words in a key: pricePerNight, price_per_night
LEAF = re.compile(r"(?:^|; )([\w ]{2,40}): ([^\W\d_]{3,20}(?: [^\W\d_]{1,20}){0,2})(?=;|$)")
NO_WORDS = ("true", "false", "none", "null", "yes", "unknown")
LEFT_OUT = re.compile(r"\.\.\.(?!\w)|…|\btruncated\b")
WITHIN = re.compile(r"[a-z] $")  # where a capital says something
COMMON = STOP | frozenset(
    "ok okay yes no sure thanks thank hi hello sorry great let shall i'm i've i'll i'd there's".split()
)


class Leaf(NamedTuple):
    """A short value in words under a key of a result: weather, cloudy."""

    key: str
    words: str
    text: str
    turn_index: int
    part: int | None


class SeenFact(NamedTuple):
    """A value that was seen: what stands right before it, the words of its whole line, and where that stood."""

    value: Value
    before: frozenset[str]
    line: frozenset[str]
    text: str
    turn_index: int
    part: int | None


class Record:
    """What the agents saw and were told so far."""

    def __init__(self) -> None:
        self.results = False
        self.whole = True  # whether nothing was left out of what was seen
        self.facts: deque[SeenFact] = deque(maxlen=MAX_FACTS)
        self.leaves: deque[Leaf] = deque(maxlen=MAX_FACTS)
        self._lines: deque[str] = deque(maxlen=MAX_HEARD_LINES)
        self._unread: list[tuple[str, int, int | None]] = []

    def hear(self, text: str, turn_index: int, part: int | None = None) -> None:
        """Add what somebody said."""
        self._unread += [(line, turn_index, part) for line in sentences(text, MAX_LINES)]

    def see(self, result: object, turn_index: int, part: int) -> None:
        """Add what a tool gave back."""
        self.results = True
        lines = list(islice(lines_of(parse(result)), MAX_LINES + 1))
        self.whole &= len(lines) <= MAX_LINES and not any(LEFT_OUT.search(line) for line in lines)
        self._unread += [(line, turn_index, part) for line in lines]

    def read(self) -> None:
        """Take in what came since it was last asked for. Most runs never ask."""
        for line, turn_index, part in self._unread:
            text = line[:MAX_LINE_CHARACTERS]
            self.whole &= len(line) <= MAX_LINE_CHARACTERS
            self._lines.append(text.lower())
            self.leaves.extend(
                Leaf(m[1], m[2].lower(), text, turn_index, part)
                for m in LEAF.finditer(text)
                if m[2].lower() not in NO_WORDS
            )
            words = frozenset(content(text))
            for value in told(text):
                before = frozenset(content(text[max(0, value.start - BEFORE) : value.start]))
                self.facts.append(SeenFact(value, before, words, text, turn_index, part))
        self._unread.clear()

    def bears_out(self, value: Value) -> bool:
        """Whether a value was seen."""
        if value.kind == "name":
            return any(self.mentions(word.removesuffix("s")) for word in value.text.split())
        return (value.kind == "code" and self.mentions(value.text)) or any(
            agree(value, fact.value) for fact in self.facts
        )

    def mentions(self, word: str) -> bool:
        return any(word.lower() in line for line in self._lines)

    def computes(self, value: Value) -> bool:
        """Whether an amount is a small count, or the sum, difference, product or quotient of two that were seen."""
        if value.kind != "amount":
            return False
        amounts = [one.number for fact in self.facts if fact.value.kind == "amount" for one in fact.value.readings]
        seen = {round(number, 2) for number in amounts[-MAX_OPERANDS:]}
        return any(
            (not one.unit and one.number in SMALL_NUMBERS)
            or any(round(made, 2) in seen for number in seen for made in operations(one.number, number))
            or any(number and one.number / number in SMALL_NUMBERS for number in seen)
            for one in value.readings
        )


def operations(made: float, number: float) -> Iterator[float]:
    """What a number must have been combined with, if one was made of it: by sum, difference, product, share or part."""
    yield from (made - number, made + number, number - made)
    if number:
        yield from (made / number, 100 * made / number, 100 - 100 * made / number, 100 * made / number - 100)
    if made:
        yield number / made


def told(text: str) -> list[Value]:
    """The values of a text, and its names without the words that a sentence begins with anyway."""
    found = values(text)
    taken = {at for value in found for at in range(value.start, value.start + len(value.text))}
    named, at = [], 0
    for name in names(text):
        at = text.find(name, at)
        core = " ".join(word for word in WORD.findall(name) if word[0].isupper() and word.lower() not in COMMON)
        if core and at not in taken and (" " in core or WITHIN.search(text, max(0, at - 2), at)):
            named.append(Value("name", (core.lower(),), core, at))
    return found + named


def parse(result: object) -> object:
    """A result as the JSON that it may be written in."""
    if isinstance(result, str) and result[:1] in ("{", "["):
        try:
            return msgspec.json.decode(result)
        except msgspec.DecodeError:
            return result
    return result


def lines_of(value: object, key: str = "") -> Iterator[str]:
    """A result as lines of text: one for each object, with its keys in words."""
    if isinstance(value, dict):
        plain = {name: one for name, one in value.items() if not isinstance(one, dict | list)}
        if plain:
            yield "; ".join(f"{in_words(f'{key} {name}')}: {one}" for name, one in plain.items())
        for name, one in value.items():
            if isinstance(one, dict | list):
                yield from lines_of(one, f"{key} {name}".strip())
    elif isinstance(value, list):
        yield f"{in_words(key)}: {len(value)} items"
        for one in value[:MAX_LINES]:
            yield from lines_of(one, key)
    elif value is not None:
        yield from (f"{in_words(key)}: {line}" if key else line for line in sentences(str(value), MAX_LINES))


def in_words(key: str) -> str:
    return JOINTS.sub(" ", key).strip().lower()
