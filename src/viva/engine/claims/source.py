"""A source that claims are held against: its sentences, and where each word of meaning stands."""

import math
import re
from collections import defaultdict
from functools import cached_property
from itertools import compress
from typing import NamedTuple

from viva.engine.claims.word_vectors import vectors
from viva.engine.meaning import Vector
from viva.engine.text.numbers import numbers
from viva.engine.text.polarity import negates
from viva.engine.text.remembering import remember
from viva.engine.text.sentences import sentences
from viva.engine.text.words import KEPT, STOP, stem

TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+")
MAX_SOURCE_CHARACTERS = 20_000  # characters of a source; what follows is a dump
FURTHEST = 1_000_000
SENTENCES = 400
VOCABULARY = 1_500  # different words of a source whose meanings are compared
REACH = 3  # sentences of a source that a claim may be made of
WINDOW = 6  # words of meaning on either side that make the surroundings of a word
PLACES = 8  # occurrences of a neighbour that are visited
LINKS = STOP | frozenset(
    "while after before during between because since until through within against among along across around near"
    " upon towards toward whether either neither however although though thus therefore hence besides moreover"
    " furthermore additionally meanwhile otherwise well even still already again yet soon now often ever much many"
    " several various certain another whose itself himself herself themselves i'm i've i'll i'd he's she's it's that's"
    " you're we're they're there's let's due per via etc like including include such unfortunately fortunately sadly luckily regrettably sorry".split()
)  # words that join others: a claim may use them freely

NO_VALUES: frozenset[float] = frozenset()  # one for all words


class Token(NamedTuple):
    """A word of a text as it stands there, its stem, and the position of its first letter."""

    word: str
    stem: str
    at: int


class Entry(NamedTuple):
    """What is to be known of a word wherever it stands."""

    word: str
    stem: str
    tells: bool  # carries meaning, and does not only join others
    denies: bool


@remember(KEPT)
def entry(written: str) -> Entry:
    word = written.lower()
    return Entry(word, stem(word.replace("’", "'")), word not in LINKS, negates(word))


@remember(KEPT)
def values_of(word: str) -> frozenset[float]:
    """The value of a word in lower case that is a number; "one" is more often no number."""
    return frozenset(numbers(word)) or NO_VALUES if word != "one" else NO_VALUES


def roots(text: str) -> set[str]:
    """The different stems of a text."""
    return {entry(written).stem for written in TOKEN.findall(text)}


def tokens(text: str) -> list[Token]:
    """Words and numbers of a text in their order."""
    return [Token(m[0], entry(m[0]).stem, m.start()) for m in TOKEN.finditer(text)]


def telling(text: str) -> list[Token]:
    """The words of a text that carry meaning."""
    found = ((m, entry(m[0])) for m in TOKEN.finditer(text))
    return [Token(m[0], known.stem, m.start()) for m, known in found if known.tells]


class ClaimSource:
    """A text that claims are held against: its sentences, and where each stem stands."""

    def __init__(self, text: str) -> None:
        self.text = text[:MAX_SOURCE_CHARACTERS]
        self._rest = text[MAX_SOURCE_CHARACTERS:FURTHEST].lower()  # of which only numbers and names are looked up
        self._looked_up: dict[str, bool] = {}
        self.sentences = sentences(self.text, SENTENCES)
        self.where: dict[str, list[int]] = {}  # stem: sentences
        self.line: list[str] = []  # the stems that carry meaning, in their order
        self._spelled: list[str] = []  # the same as they are written
        self.negated = [False] * len(self.sentences)
        self.stems: list[set[str]] = [set() for _ in self.sentences]
        for k, sentence in enumerate(self.sentences):
            if found := TOKEN.findall(sentence):
                self._read(k, list(map(entry, found)))

    def _read(self, k: int, entries: list[Entry]) -> None:
        """Take in a sentence, a column of its entries at a time: a source has thousands of words."""
        words, roots, tells, denies = zip(*entries, strict=True)
        self.line += compress(roots, tells)
        self._spelled += compress(words, tells)
        self.negated[k] = True in denies
        self.stems[k].update(roots)
        for root in self.stems[k]:
            self.where.setdefault(root, []).append(k)

    @cached_property
    def spots(self) -> dict[str, list[int]]:
        """The positions of each stem in the line."""
        found: dict[str, list[int]] = {}
        for at, root in enumerate(self.line):
            found.setdefault(root, []).append(at)
        return found

    @cached_property
    def words(self) -> list[str]:
        """Each different stem of the line as it was written first."""
        first = dict(zip(reversed(self.line), reversed(self._spelled), strict=True))
        return [first[root] for root in dict.fromkeys(self.line)]

    @cached_property
    def numbers(self) -> set[float]:
        return numbers(self.text)

    def has(self, values: frozenset[float]) -> bool:
        """Whether one of these numbers stands in the source, which is searched for them only where there are any."""
        return bool(values) and not values.isdisjoint(self.numbers)

    @cached_property
    def vocabulary(self) -> list[str]:
        return self.words[:VOCABULARY]

    @cached_property
    def meanings(self) -> Vector:
        return vectors(self.vocabulary)

    @cached_property
    def rows(self) -> dict[str, int]:
        return dict(zip(self.spots, range(VOCABULARY), strict=False))

    def goes_on_with(self, word: str) -> bool:
        """Whether a word stands anywhere in what follows the part that is read."""
        if word not in self._looked_up:
            self._looked_up[word] = word in self._rest
        return self._looked_up[word]

    def word(self, root: str) -> str:
        """A stem as the source writes it."""
        row = self.rows.get(root)
        return root if row is None else self.words[row]

    def nearest(self, roots: list[str]) -> list[int]:
        """The sentences that share most with a claim, best first; a stem counts less the more sentences have it."""
        votes: defaultdict[int, float] = defaultdict(float)
        for root in dict.fromkeys(roots):
            places = self.where.get(root, ())
            for k in places:
                votes[k] += 1 / math.sqrt(len(places))
        return [k for k, _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))[:REACH]]

    def around(self, roots: list[str]) -> set[str]:
        """What stands near these stems."""
        found: set[str] = set()
        for root in roots:
            for spot in self.spots.get(root, ())[:PLACES]:
                found.update(self.line[max(0, spot - WINDOW) : spot + WINDOW + 1])
        return found

    def beside(self, root: str, before: str, after: str) -> bool:
        """Whether a stem stands next to one of two neighbours."""
        spots, line = self.spots.get(root, ())[: 8 * PLACES], self.line
        return any(
            (before and spot > 0 and line[spot - 1] == before)
            or (after and spot + 1 < len(line) and line[spot + 1] == after)
            for spot in spots
        )
