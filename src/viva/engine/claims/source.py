"""A source that claims are held against: its sentences, and where each word of meaning stands."""

import math
import re
from collections import defaultdict
from functools import cached_property
from typing import NamedTuple

from viva.engine import meaning
from viva.engine.text.polarity import negates
from viva.engine.text.remembering import remember
from viva.engine.text.sentences import sentences
from viva.engine.text.values import Value, values
from viva.engine.text.words import KEPT, STOP, stem

TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[A-Z](?:\.[A-Z]\b)+\.?|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\W_]+")
JOINTS = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[a-z])_(?=[a-z])")  # of the words in a key: priceRange, price_range
ENTRY = re.compile(r"^[^.!?:]{1,40}: |; [\w ']{1,40}: |\": ")  # a key with its value
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
    " you're we're they're there's let's due per via etc like including include such n't nt s m re ve ll d don doesn didn isn wasn won".split()
)  # words that join others: a claim may use them freely


class Token(NamedTuple):
    """A word of a text as it stands there and where; its small letters, its stem, whether it carries meaning or negates."""

    at: int
    word: str
    low: str
    stem: str
    tells: bool
    negates: bool


@remember(KEPT)
def describe(word: str) -> tuple[str, str, str, bool, bool]:
    """All that a token holds but its place."""
    low = word.lower().replace(".", "" if word[0].isalpha() else ".")  # U.K. is UK
    return word, low, stem(low.replace("’", "'")), low not in LINKS, negates(low)


def tokens(text: str) -> list[Token]:
    """Words and numbers of a text in their order."""
    return [Token(found.start(), *describe(found[0])) for found in TOKEN.finditer(text)]


class ClaimSource:
    """A text that claims are held against: its sentences, and where each stem stands."""

    def __init__(self, text: str, asked: str = "") -> None:
        self.asked = {token.stem for token in tokens(asked)}
        self._said = asked
        self.text = text[:MAX_SOURCE_CHARACTERS]
        self.rest = text[MAX_SOURCE_CHARACTERS:FURTHEST].lower()  # of which only numbers and names are looked up
        self.sentences = sentences(self.text, SENTENCES)
        self.is_table = sum(bool(ENTRY.search(sentence)) for sentence in self.sentences) * 2 > len(self.sentences)
        read = [tokens(JOINTS.sub(" ", sentence)) for sentence in self.sentences]
        self.stems = [{token.stem for token in told} for told in read]
        self.negated = [any(token.negates for token in told) for told in read]
        self.line = [token for told in read for token in told if token.tells]
        self.where: dict[str, list[int]] = {}  # stem: sentences
        for k, found in enumerate(self.stems):
            for one in found:
                self.where.setdefault(one, []).append(k)

    @cached_property
    def spots(self) -> dict[str, list[int]]:
        """The positions of each stem in the line."""
        found: dict[str, list[int]] = {}
        for at, token in enumerate(self.line):
            found.setdefault(token.stem, []).append(at)
        return found

    @cached_property
    def values(self) -> list[Value]:
        """The values of the source, and of the question that a claim answers."""
        return values(self.text) + values(self._said)

    @cached_property
    def words(self) -> dict[str, str]:
        """The first stems of the line, each as it was written first."""
        return {stem: self.line[at[0]].low for stem, at in list(self.spots.items())[:VOCABULARY]}

    def likest(self, strange: list[str], among: set[str]) -> list[tuple[float, str]]:
        """For each word, how like it is to the likest of some words of the source, and that word."""
        known = [written for stem, written in self.words.items() if stem in among]
        if not strange or not known:
            return [(0.0, "")] * len(strange)
        likeness = meaning.static().of_words(strange) @ meaning.static().of_words(known).T
        return [(float(row.max()), known[int(row.argmax())]) for row in likeness]

    def nearest(self, claim: list[Token]) -> list[int]:
        """The sentences that share most with a claim, best first; a stem counts less the more sentences have it."""
        votes: defaultdict[int, float] = defaultdict(float)
        for one in dict.fromkeys(token.stem for token in claim):
            places = self.where.get(one, ())
            for k in places:
                votes[k] += 1 / math.sqrt(len(places))
        return [k for k, _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))[:REACH]]

    def around(self, stems: list[str]) -> set[str]:
        """What stands near these stems."""
        spots = [spot for one in stems for spot in self.spots.get(one, ())[:PLACES]]
        return {token.stem for spot in spots for token in self.line[max(0, spot - WINDOW) : spot + WINDOW + 1]}
