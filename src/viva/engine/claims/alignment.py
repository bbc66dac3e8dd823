"""Holding a claim against a source: for each word of the claim, what the source has in its place."""

from collections.abc import Container
from typing import NamedTuple

from viva.engine.claims.source import ClaimSource, Token, telling, values_of
from viva.engine.claims.word_vectors import vectors
from viva.engine.text.polarity import kinds, negates, opposites, rivals

NONE: frozenset[str] = frozenset()


MIN_WORDS_ALIKE = 2  # words below which two sentences are alike by chance
NEARLY_ALL = 0.8  # of the words of a claim in its nearest sentence: it speaks of the same thing
LONGER = 3  # times as many words as a claim has that carry meaning: a longer sentence negates something else


class Match(NamedTuple):
    """A word of a claim and how the source bears it out."""

    token: Token
    found: bool  # anywhere in the source
    local: bool  # in one of the sentences nearest to the claim
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


class AlignedClaim(NamedTuple):
    """A sentence of a response, its words, the positions of the nearest sentences of the source, and whether it flips them."""

    text: str
    matches: list[Match]
    nearest: list[int]
    flipped: bool


class Likest(NamedTuple):
    """The word of a source nearest to a strange one: how like it is, how like the nearest in the nearest sentences."""

    near: float = 0.0
    near_local: float = 0.0
    nearest: str = ""


def align(sentence: str, source: ClaimSource) -> AlignedClaim:
    """A sentence with each of its telling words held against the source."""
    words = telling(sentence)
    nearest = source.nearest([token.stem for token in words])
    local = set().union(*(source.stems[k] for k in nearest)) if nearest else set()
    strange = [token.word.lower() for token in words if token.stem not in source.where]
    likest = iter(likest_words(strange, source, local))
    affirmed = bool(nearest) and not source.negated[nearest[0]]
    matches = []
    for k, token in enumerate(words):
        other = next(likest) if token.stem not in source.where else None
        matches.append(match(words, k, source, local, other, affirmed))
    return AlignedClaim(sentence, matches, nearest, flips(matches, nearest, source))


def flips(matches: list[Match], nearest: list[int], source: ClaimSource) -> bool:
    """Whether words say nearly the same as a sentence of the source, but deny it, or affirm what it denies."""
    plain = [match.token.stem for match in matches if not negates(match.token.word.lower())]
    if len(plain) < MIN_WORDS_ALIKE or not nearest:
        return False
    sentence = source.stems[nearest[0]]
    alike = sum(root in sentence for root in plain) >= NEARLY_ALL * len(plain) and len(sentence) <= LONGER * len(plain)
    return alike and (len(plain) < len(matches)) != source.negated[nearest[0]]


def match(
    words: list[Token], k: int, source: ClaimSource, local: set[str], likest: Likest | None, affirmed: bool
) -> Match:
    token, word = words[k], words[k].word.lower()
    values = values_of(word)
    name = token.at > 0 and token.word[0].isupper() and not values
    found = likest is None or source.has(values) or ((name or bool(values)) and source.goes_on_with(word))
    near, near_local, nearest = likest or (1.0, 1.0, word)
    opposed = opposites().get(token.stem, NONE)
    return Match(
        token=token,
        found=found,
        local=token.stem in local,
        adjacent=source.beside(
            token.stem, words[k - 1].stem if k else "", words[k + 1].stem if k + 1 < len(words) else ""
        ),
        near=1.0 if found else near,
        near_local=near_local if token.stem in local or likest is not None else 0.5,
        nearest=nearest,
        number=bool(values) or word[0].isdigit(),
        name=name,
        kind=kinds().get(token.stem, ""),
        opposite="" if found else source.word(first(opposed, source.where)),
        clash=clashing(words, k, source, opposed | rivals().get(token.stem, NONE)),
        denied=affirmed and negates(word),
    )


def likest_words(strange: list[str], source: ClaimSource, local: set[str]) -> list[Likest]:
    """For each word that a source does not have, the nearest that it has."""
    if not strange or not source.words:
        return [Likest()] * len(strange)
    likeness = vectors(strange) @ source.meanings.T
    rows = [source.rows[root] for root in local if root in source.rows]
    near = likeness.max(axis=1).tolist()
    near_local = likeness[:, rows].max(axis=1).tolist() if rows else [0.0] * len(strange)
    nearest = [source.vocabulary[best] for best in likeness.argmax(axis=1)]
    return list(map(Likest, near, near_local, nearest))


def clashing(words: list[Token], k: int, source: ClaimSource, others: frozenset[str]) -> str:
    """Which of the opposites and rivals of a word stands near the same neighbours, where the word does not."""
    if not others:
        return ""
    root = words[k].stem
    neighbours = [other.stem for other in words[max(0, k - 2) : k] + words[k + 1 : k + 3] if other.stem != root]
    around = source.around(neighbours)
    return "" if root in around else source.word(first(others, around))


def first(roots: frozenset[str], among: Container[str]) -> str:
    """The alphabetically first of some stems that is among others, or nothing."""
    return min((root for root in roots if root in among), default="")
