"""Holding a claim against a source: for each word of the claim, what the source has in its place."""

from typing import NamedTuple

from viva.engine.claims.source import ClaimSource, Token, tokens
from viva.engine.text.numbers import SPELLED
from viva.engine.text.polarity import contraries
from viva.engine.text.values import Value, missing, values

MIN_WORDS_ALIKE = 2  # words below which two sentences are alike by chance
NEARLY_ALL = 0.8  # of the words of a claim in its nearest sentence: it speaks of the same thing
LONGER = 3  # times as many words as a claim has that carry meaning: a longer sentence negates something else


class Match(NamedTuple):
    """A word of a claim and how the source bears it out."""

    token: Token
    found: bool  # anywhere in the source
    local: bool  # in one of the sentences nearest to the claim
    near: float  # likeness of the likest word of the nearest sentences, 1 when local
    nearest: str
    name: bool
    clash: str  # an opposite or rival that stands near the same neighbours, where the word does not


class AlignedClaim(NamedTuple):
    """A sentence of a response: its words, the values that the source does not have, and the nearest sentences."""

    text: str
    matches: list[Match]
    missing: list[Value]
    nearest: list[int]
    denied: bool  # denies something where none of the nearest sentences does
    flipped: bool  # says nearly the same as the nearest sentence, but denies it or affirms what that denies


def align(sentence: str, source: ClaimSource) -> AlignedClaim:
    """A sentence with each of its telling words held against the source."""
    words = [token for token in tokens(sentence) if token.tells]
    nearest = source.nearest(words)
    local = set().union(*(source.stems[k] for k in nearest))
    told = [value for value in values(sentence) if value.kind != "state" and value.text.lower() not in SPELLED]
    absent = [value for value in missing(told, source.values) if value.text.lower() not in source.rest] if told else []
    borne = {at for value in told if value not in absent for at in range(value.start, value.start + len(value.text))}
    likest = dict(zip(words, source.likest([token.low for token in words], local), strict=True))
    matches = [match(words, k, source, local, token.at in borne, *likest[token]) for k, token in enumerate(words)]
    denied = any(token.negates for token in words) and not any(source.negated[k] for k in nearest)
    return AlignedClaim(sentence, matches, absent, nearest, denied, flips(words, nearest, source))


def flips(words: list[Token], nearest: list[int], source: ClaimSource) -> bool:
    """Whether words deny what the likest sentence of a source affirms, or affirm what it denies. A question does neither."""
    plain = [token.stem for token in words if not token.negates]
    told = [k for k in nearest if not source.sentences[k].rstrip().endswith("?")]
    if len(plain) < MIN_WORDS_ALIKE or not told:
        return False
    alike = [k for k in told if sum(root in source.stems[k] for root in plain) >= NEARLY_ALL * len(plain)]
    denied = len(plain) < len(words)
    short = bool(alike) and len(source.stems[alike[0]]) <= LONGER * len(plain)
    return short and all(source.negated[k] != denied for k in alike)


def match(
    words: list[Token], k: int, source: ClaimSource, local: set[str], borne: bool, near: float, nearest: str
) -> Match:
    token = words[k]
    name = token.at > 0 and token.word[0].isupper()
    there = token.stem in local or borne
    return Match(
        token=token,
        found=there or token.stem in source.where or token.stem in source.asked or (name and token.low in source.rest),
        local=there,
        near=1.0 if there else near,
        nearest=nearest,
        name=name,
        clash=clashing(words, k, source),
    )


def clashing(words: list[Token], k: int, source: ClaimSource) -> str:
    """Which of the opposites and rivals of a word stands near the same neighbours, where the word does not."""
    own = words[k].stem
    others = contraries(own)
    if not others:
        return ""
    around = source.around(
        [other.stem for other in words[max(0, k - 2) : k] + words[k + 1 : k + 3] if other.stem != own]
    )
    there = min((other for other in others if other in around), default="") if own not in around else ""
    return source.words.get(there, there)
