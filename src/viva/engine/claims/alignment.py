"""Holding a claim against a source: for each word of the claim, what the source has in its place."""

from collections.abc import Container
from typing import NamedTuple

import numpy as np

from viva.engine.claims.source import Source, Token, telling, vectors
from viva.engine.meaning import Vector
from viva.engine.text.numbers import numbers
from viva.engine.text.polarity import kinds, negates, opposites, rivals


class Match(NamedTuple):
    """A word of a claim and how the source bears it out."""

    token: Token
    found: bool  # anywhere in the source
    local: bool  # in one of the sentences nearest to the claim
    here: bool  # in the source near the same neighbours as in the claim
    adjacent: bool  # beside one of the same neighbours
    near: float  # likeness of the nearest word of the source, 1 when found
    near_local: float  # the same within the nearest sentences
    nearest: str
    number: bool
    name: bool
    kind: str
    opposite: str  # an opposite the source has instead of the word
    clash: str  # an opposite or rival that stands near the same neighbours, where the word does not
    denied: bool  # a negation which the nearest sentence does not have


class Claim(NamedTuple):
    """A sentence of a response, its words, and the positions of the nearest sentences of the source."""

    text: str
    matches: list[Match]
    nearest: list[int]


def align(sentence: str, source: Source) -> Claim:
    """A sentence with each of its telling words held against the source."""
    words = telling(sentence)
    nearest = source.nearest([token.stem for token in words])
    local = set().union(*(source.stems[k] for k in nearest)) if nearest else set()
    strange = [token.word.lower() for token in words if token.stem not in source.where]
    likeness = vectors(strange) @ source.meanings.T if strange and source.words else np.zeros((len(strange), 0))
    likenesses = iter(likeness)
    affirmed = not nearest or not source.negated[nearest[0]]
    matches = []
    for k, token in enumerate(words):
        row = next(likenesses) if token.stem not in source.where else None
        matches.append(match(words, k, source, local, row, affirmed))
    return Claim(sentence, matches, nearest)


def match(
    words: list[Token], k: int, source: Source, local: set[str], likeness: Vector | None, affirmed: bool
) -> Match:
    token, word = words[k], words[k].word.lower()
    neighbours = [other.stem for other in words[max(0, k - 2) : k] + words[k + 1 : k + 3] if other.stem != token.stem]
    around = source.around(neighbours)
    values = numbers(word) if word != "one" else set()
    name = token.at > 0 and token.word[0].isupper() and not values
    found = likeness is None or bool(values & source.numbers) or ((name or bool(values)) and word in source.rest)
    near, near_local, nearest = (1.0, 1.0, word) if likeness is None else likest(source, likeness, local)
    here = token.stem in around
    opposed = opposites().get(token.stem, frozenset())
    return Match(
        token=token,
        found=found,
        local=token.stem in local,
        here=here,
        adjacent=source.beside(
            token.stem, words[k - 1].stem if k else "", words[k + 1].stem if k + 1 < len(words) else ""
        ),
        near=1.0 if found else near,
        near_local=near_local if token.stem in local or likeness is not None else 0.5,
        nearest=nearest,
        number=bool(values) or word[0].isdigit(),
        name=name,
        kind=kinds().get(token.stem, ""),
        opposite="" if found else first(opposed, source.where),
        clash="" if here else first(opposed | rivals().get(token.stem, frozenset()), around),
        denied=affirmed and negates(word),
    )


def likest(source: Source, likeness: Vector, local: set[str]) -> tuple[float, float, str]:
    """How like the nearest word of the source is, the nearest one in the nearest sentences, and which word it is."""
    if not likeness.size:
        return 0.0, 0.0, ""
    best = int(likeness.argmax())
    rows = [source.rows[root] for root in local if root in source.rows]
    return float(likeness[best]), float(likeness[rows].max()) if rows else 0.0, source.vocabulary[best]


def first(roots: frozenset[str], among: Container[str]) -> str:
    """The alphabetically first of some stems that is among others, or nothing."""
    return min((root for root in roots if root in among), default="")
