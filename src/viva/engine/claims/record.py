"""The record of a run: what the agents saw and were told so far, as lines with their values."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec

from viva.engine.text import amounts
from viva.engine.text.names import names
from viva.engine.text.sentences import sentences
from viva.engine.text.values import COMPARABLE, Value, agree, values
from viva.engine.text.words import STOP, WORD, content, split_words, telling

MAX_LINES = 60  # of one result; what follows is a dump
MAX_LINE_CHARACTERS = 2_000
MAX_FACTS = 250  # of a run, the latest; older ones seldom matter
MAX_LEAVES = 100
MAX_HEARD_LINES = 600
ROOT_CHARACTERS = 4  # of a word: "moderately" is not new to who read "moderate"
SMALL_NUMBERS = range(13)  # that count things and need no source, and by which people multiply
MAX_OPERANDS = 60  # amounts that an agent may have reckoned with, the latest
BEFORE = 40  # characters before a value that say what it is the value of
JOINTS = re.compile(r"(?<=[a-z])(?=[A-Z])|_")  # of the words in a key: pricePerNight, price_per_night
WRITTEN_NUMBER = re.compile(r"\d[\d.,:]*\d|\d")
LEAF = re.compile(r"(?:^|; )([\w ]{2,40}): ([^\W\d_]{3,20}(?: [^\W\d_]{1,20}){0,2})(?=;|$)")
NO_WORDS = ("true", "false", "none", "null", "yes", "unknown")
MASKED = re.compile(r"\*{3}|\buser@example\.|\[?\b(?:email protected|redacted|masked)\b")  # what hides an address
ENDING_DIGITS = 4  # of a card or an account, by which people name it
POSSESSIVE = re.compile(r"['’]s\b")
LEFT_OUT = re.compile(r"\.\.\.(?!\w)|…|\btruncated\b")
COMMON = STOP | frozenset(
    "ok okay yes no sure thanks thank hi hello sorry great let shall i'm i've i'll i'd there's".split()
)


class ResultLeaf(NamedTuple):
    """A short value in words under a key of a result, with the stems of both: weather, cloudy."""

    words: str
    stems: frozenset[str]
    key: frozenset[str]


def leaf(match: re.Match[str]) -> ResultLeaf:
    return ResultLeaf(match[2].lower(), frozenset(content(match[2])), frozenset(content(match[1])))


class HeardLine(NamedTuple):
    """A line of what was seen or said, the turn that it is from, and whether a tool gave it."""

    text: str
    turn: int
    by_tool: bool


class SeenFact(NamedTuple):
    """A value that was seen, and the line it stands in."""

    value: Value
    line: HeardLine

    @property
    def by_tool(self) -> bool:
        return self.line.by_tool

    @property
    def before(self) -> frozenset[str]:
        """What stands right before it, and says what it is the value of."""
        return stems(self.line.text[max(0, self.value.start - BEFORE) : self.value.start])

    @property
    def around(self) -> frozenset[str]:
        """The words of its whole line."""
        return stems(self.line.text)


@lru_cache(maxsize=512)
def stems(text: str) -> frozenset[str]:
    return frozenset(content(text))


class Gathered:
    """What a function finds in lines, all together. Lines wait until it is asked for: most of it never is."""

    def __init__(self, find: Callable[[str], list[str]]) -> None:
        self.lines: list[str] = []
        self._find = find
        self._found: set[str] = set()

    def gather(self) -> set[str]:
        for line in self.lines:
            self._found.update(self._find(line))
        self.lines.clear()
        return self._found


class Record:
    """What the agents saw and were told so far. Its lines are skimmed for each answer, and read where one says something new."""

    def __init__(self) -> None:
        self.results = False
        self.whole = True  # whether nothing was left out of what was seen
        self.facts: deque[SeenFact] = deque(maxlen=MAX_FACTS)
        self.leaves: deque[ResultLeaf] = deque(maxlen=MAX_LEAVES)
        self._roots = Gathered(lambda line: [word[:ROOT_CHARACTERS] for word in split_words(line)])
        self._digits = Gathered(WRITTEN_NUMBER.findall)
        self._heard: deque[str] = deque(maxlen=MAX_HEARD_LINES)
        self._text = ""  # all that was heard, once it is asked for
        self._new: list[tuple[object, int, bool]] = []  # what is not skimmed yet: most of it is never asked for
        self._unread: deque[HeardLine] = deque(maxlen=MAX_HEARD_LINES)

    def hear(self, text: str, turn: int) -> None:
        """Add what somebody said."""
        self._new.append((text, turn, False))

    def see(self, result: object, turn: int) -> None:
        """Add what a tool gave back."""
        self.results = True
        self._new.append((result, turn, True))

    @property
    def roots(self) -> set[str]:
        """The beginnings of all words."""
        return self._roots.gather()

    @property
    def text(self) -> str:
        """All that was skimmed, in lower case."""
        if not self._text:
            self._text = "\n".join(self._heard)
        return self._text

    def skim(self) -> None:
        """Take in the words and digits of what is new. A record with gaps is good for nothing and grows no more."""
        for given, turn, by_tool in self._new:
            for line in self.result_lines(given) if by_tool else sentences(str(given), MAX_LINES):
                self.skim_line(HeardLine(line, turn, by_tool))
            if not self.whole:
                break
        if self._new:
            self._text = ""
        self._new.clear()

    def result_lines(self, result: object) -> list[str]:
        """The lines of a result; notes whether some are left out."""
        lines = list(islice(lines_of(parse(result)), MAX_LINES + 1))
        self.whole &= len(lines) <= MAX_LINES and not any(map(LEFT_OUT.search, lines))
        self.whole &= all(len(line) <= MAX_LINE_CHARACTERS for line in lines)
        return lines if self.whole else []

    def skim_line(self, line: HeardLine) -> None:
        small = line.text[:MAX_LINE_CHARACTERS].lower()
        for kept in (self._heard, self._roots.lines, self._digits.lines):
            kept.append(small)
        found = LEAF.finditer(line.text) if line.by_tool else ()
        self.leaves.extend(leaf(match) for match in found if match[2].lower() not in NO_WORDS)
        self._unread.append(line)

    def read(self) -> None:
        """Take in the values of new lines."""
        self.facts.extend(SeenFact(value, line) for line in self._unread for value in find_facts(line.text))
        self._unread.clear()

    def has(self, value: Value) -> bool:
        """Whether a value stands in what was skimmed as it is written."""
        digits = WRITTEN_NUMBER.findall(value.text)
        if value.kind == "name":
            return any(self.mentions(word.removesuffix("s")) for word in value.text.split())
        if value.kind == "code":
            return self.mentions(value.text) or ("@" in value.text and MASKED.search(self.text) is not None)
        known = self._digits.gather()
        return bool(digits) and all(digit in known or self.is_ending(digit) for digit in digits)

    def is_ending(self, digits: str) -> bool:
        """Whether digits are the last ones of a longer number."""
        return len(digits) == ENDING_DIGITS and any(known.endswith(digits) for known in self._digits.gather())

    def bears_out(self, value: Value) -> bool:
        """Whether a value was read, however it was written."""
        comparable = COMPARABLE.get(value.kind, ())
        return any(fact.value.kind in comparable and agree(value, fact.value) for fact in self.facts)

    def mentions(self, word: str) -> bool:
        return word.lower() in self.text

    def computes(self, value: Value, said: list[Value]) -> bool:
        """Whether an amount is a small count, or made by a sum, difference, product or quotient of two that were seen or said."""
        if value.kind != "amount":
            return False
        known = [fact.value for fact in self.facts][-MAX_OPERANDS:] + [
            other for other in said if not agree(other, value)
        ]
        seen = set().union(*(plain_numbers(other) for other in known if other.kind == "amount"))
        return any(not one.unit and one.number in SMALL_NUMBERS for one in value.readings) or any(
            any(round(part, 2) in seen for number in seen for part in operations(made, number))
            or any(number and made / number in SMALL_NUMBERS for number in seen)
            for made in plain_numbers(value)
        )


@lru_cache(maxsize=1_024)
def plain_numbers(value: Value) -> frozenset[float]:
    """What an amount may be as a number: as it is written, and in its unit."""
    written = WRITTEN_NUMBER.search(value.text)
    numbers = amounts.numbers_of(written[0]) if written else set()
    return frozenset(round(number, 2) for number in numbers.union(one.number for one in value.readings))


def operations(made: float, number: float) -> Iterator[float]:
    """What a number must have been combined with, if one was made of it: by sum, difference, product, share or part."""
    yield from (made - number, made + number, number - made)
    if number:
        yield from (made / number, 100 * made / number, 100 - 100 * made / number, 100 * made / number - 100)
    if made:
        yield number / made


@lru_cache(maxsize=512)
def find_facts(text: str) -> tuple[Value, ...]:
    """The values of a text, and its names without the words that a sentence begins with anyway."""
    found, called = values(text), names(text)
    taken = {at for value in found for at in range(value.start, value.start + len(value.text))} if called else ()
    named, at = [], 0
    for name in called:
        at = text.find(name, at)
        capital = (word for word in WORD.findall(name) if word[0].isupper() and word.lower() not in COMMON)
        core = POSSESSIVE.sub("", " ".join(capital))
        if core and at not in taken:
            named.append(Value("name", (core.lower(),), core, at))
    return *found, *named


def word_after(text: str, value: Value) -> str:
    """The stem of the word that follows a value: what it counts, often."""
    found = WORD.match(text, value.start + len(value.text) + 1)
    return telling(found[0].lower()) if found else ""


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
