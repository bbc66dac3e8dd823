"""A source that claims are held against: its sentences, and where each word of meaning stands."""

import math
import re
from collections import defaultdict
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from viva.engine import meaning
from viva.engine.meaning import Vector
from viva.engine.text.numbers import numbers
from viva.engine.text.polarity import negates
from viva.engine.text.sentences import sentences
from viva.engine.text.words import STOP, stem

TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+")
LONGEST = 20_000  # characters of a source; what follows is a dump
FURTHEST = 1_000_000
SENTENCES = 400
VOCABULARY = 1_500  # different words of a source whose meanings are compared
KEPT = 20_000  # word vectors kept for the next trace: 20 MB
REACH = 3  # sentences of a source that a claim may be made of
WINDOW = 6  # words of meaning on either side that make the surroundings of a word
PLACES = 8  # occurrences of a neighbour that are visited
LINKS = STOP | frozenset(
    "while after before during between because since until through within against among along across around near"
    " upon towards toward whether either neither however although though thus therefore hence besides moreover"
    " furthermore additionally meanwhile otherwise well even still already again yet soon now often ever much many"
    " several various certain another whose itself himself herself themselves i'm i've i'll i'd he's she's it's that's"
    " you're we're they're there's let's due per via etc like including include such".split()
)  # words that join others: a claim may use them freely


class Token(NamedTuple):
    """A word of a text as it stands there, its stem, and the position of its first letter."""

    word: str
    stem: str
    at: int


class Entry(NamedTuple):
    """What is to be known of a word wherever it stands."""

    word: str
    stem: str
    links: bool
    denies: bool


@lru_cache(maxsize=KEPT)
def entry(written: str) -> Entry:
    word = written.lower()
    return Entry(word, stem(word.replace("’", "'")), word in LINKS, negates(word))


def tokens(text: str) -> list[Token]:
    """Words and numbers of a text in their order."""
    return [Token(m[0], entry(m[0]).stem, m.start()) for m in TOKEN.finditer(text)]


def telling(text: str) -> list[Token]:
    """The words of a text that carry meaning."""
    return [token for token in tokens(text) if not entry(token.word).links]


_vectors: dict[str, Vector] = {}


def vectors(words: list[str]) -> Vector:
    """The meanings of single words, of length 1."""
    if len(_vectors) > KEPT:
        _vectors.clear()
    missing = [word for word in dict.fromkeys(words) if word not in _vectors]
    if missing:
        _vectors.update(zip(missing, meaning.static()(missing), strict=True))
    return np.stack([_vectors[word] for word in words]) if words else np.zeros((0, 256), np.float32)


class Source:
    """A text that claims are held against: its sentences, and where each stem stands."""

    def __init__(self, text: str) -> None:
        self.text = text[:LONGEST]
        self.rest = text[LONGEST:FURTHEST].lower()  # of which only numbers and names are looked up
        self.sentences = sentences(self.text, SENTENCES)
        self.where: dict[str, list[int]] = {}  # stem: sentences
        self.spots: dict[str, list[int]] = {}  # stem: positions in `line`
        self.line: list[str] = []
        self.words: dict[str, str] = {}
        self.negated = [False] * len(self.sentences)
        self.stems: list[set[str]] = [set() for _ in self.sentences]
        for k, sentence in enumerate(self.sentences):
            self._read(k, sentence)

    def _read(self, k: int, sentence: str) -> None:
        stems, line = self.stems[k], self.line
        for word, root, links, denies in map(entry, TOKEN.findall(sentence)):
            self.negated[k] |= denies
            if root not in stems:
                stems.add(root)
                self.where.setdefault(root, []).append(k)
            if not links:
                self.spots.setdefault(root, []).append(len(line))
                line.append(root)
                if len(self.words) < VOCABULARY:
                    self.words.setdefault(root, word)

    @cached_property
    def numbers(self) -> set[float]:
        return numbers(self.text)

    @cached_property
    def vocabulary(self) -> list[str]:
        return list(self.words.values())

    @cached_property
    def meanings(self) -> Vector:
        return vectors(self.vocabulary)

    @cached_property
    def rows(self) -> dict[str, int]:
        return {root: k for k, root in enumerate(self.words)}

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
