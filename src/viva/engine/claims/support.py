"""Whether a source supports an answer: each of its sentences held against the nearest sentences of the source."""

import re
from typing import NamedTuple

from viva.engine.claims.source import JOINTS, ClaimSource, Token, tokens
from viva.engine.logistic import Feature, FeatureTable, combine_independent, load_model, log_odds, squash
from viva.engine.reading import Reading
from viva.engine.text.numbers import SPELLED
from viva.engine.text.polarity import contraries
from viva.engine.text.sentences import sentences
from viva.engine.text.values import Value, missing, values

CITATION = re.compile(r"\[\d{1,3}\]|</?s>")  # "[3]" points at a source and is no number of the claim
OPENING = re.compile(r"^\s*(?:yes|no|yeah|nope|sure|right|correct)\s*[,.!:]\s+(?=\w)", re.I)  # the claim comes after
MAX_CLAIMS = 60
MAX_COUNTED = 2.0  # values or names of one claim; more do not make it worse
UNRELATED = 0.8  # what the meanings of unrelated sentences are apart
FORM_LIKENESS = 0.9  # at most, of a word that the source has in another form
BELIEVED = 0.5
MIN_WORDS_ALIKE = 2  # words below which two sentences are alike by chance
NEARLY_ALL = 0.8  # of the words of a claim in its nearest sentence: it speaks of the same thing
LONGER = 3  # times as many words as a claim has that carry meaning: a longer sentence negates something else

SUPPORT_TABLE: FeatureTable = (
    Feature("unlike", "Words of the answer have no counterpart in what is known.", 1),
    Feature("unlike_table", "Words of the answer have no counterpart in the table that is known.", 1),
    Feature("apart", "The answer means something else than the nearest sentence of what is known.", 1),
    Feature("values", "The answer has a number, date or code that is not in what is known.", 1),
    Feature("values_table", "The answer has a number, date or code that is not in the table that is known.", 1),
    Feature("names", "The answer has a name that is not in what is known.", 1),
    Feature("clash", "The answer has an opposite or a rival in the place of a word that is known.", 1),
    Feature("denied", "The answer denies something where what is known denies nothing.", 1),
    Feature("flipped", "The answer affirms what is denied in what is known, or denies what is affirmed.", 1),
)


class Match(NamedTuple):
    """A word of a claim and how the source bears it out."""

    token: Token
    found: bool  # anywhere in the source
    local: bool  # in one of the sentences nearest to the claim
    near: float  # likeness of the likest word of the nearest sentences, 1 when local
    nearest: str
    name: bool
    clash: str  # an opposite or rival that stands near the same neighbours, where the word does not

    @property
    def likeness(self) -> float:
        """How much of it the sentences nearest to its claim bear out."""
        return 1.0 if self.local else min(FORM_LIKENESS, max(0.0, self.near))

    @property
    def is_strange(self) -> bool:
        return not (self.found or self.clash or self.token.word[0].isdigit()) and self.near < FORM_LIKENESS


class AlignedClaim(NamedTuple):
    """A sentence of a response: its words, the values that the source does not have, and the nearest sentences."""

    text: str
    matches: list[Match]
    missing: list[Value]
    nearest: list[int]
    denied: bool  # denies something where none of the nearest sentences does
    flipped: bool  # says nearly the same as the nearest sentence, but denies it or affirms what that denies


class JudgedClaim(NamedTuple):
    """A sentence of an answer, what speaks against it, and the probability that the source does not support it."""

    claim: AlignedClaim
    features: dict[str, float]
    probability: float


class JudgedAnswer(NamedTuple):
    """An answer held against a source: its sentences, the weakest first, and the probability that one is unsupported."""

    source: ClaimSource
    claims: list[JudgedClaim]
    probability: float


def judge_answer(reading: Reading, response: str, text: str, asked: str = "") -> JudgedAnswer:
    """An answer of many sentences is wrong if one of them is. What the user said is known, too."""
    source = ClaimSource(text, asked)
    judged = [judge_claim(reading, claim, source) for claim in claims_of(response, source)]
    judged.sort(key=lambda one: -one.probability)
    return JudgedAnswer(source, judged, any_wrong([one.probability for one in judged]))


def claims_of(response: str, source: ClaimSource) -> list[AlignedClaim]:
    """The sentences of a response that say something, each held against the source. Questions do so only by themselves."""
    said = OPENING.sub("", CITATION.sub("", response))
    claims = [align(sentence, source) for sentence in sentences(said, MAX_CLAIMS)]
    telling = [claim for claim in claims if claim.matches]
    return [claim for claim in telling if not claim.text.rstrip().endswith("?")] or telling or claims


def any_wrong(probabilities: list[float]) -> float:
    """The probability that one claim is wrong, where half of the answers are right whatever their length.

    At even odds for the whole, each of its n claims is wrong with a probability of 1 - 0.5 ** (1 / n) beforehand.
    """
    if not probabilities:
        return BELIEVED
    rate = log_odds(1 - BELIEVED ** (1 / len(probabilities)))
    return combine_independent(squash(log_odds(probability) + rate) for probability in probabilities)


def judge_claim(reading: Reading, claim: AlignedClaim, source: ClaimSource) -> JudgedClaim:
    found = claim_features(claim, source, distance(reading, claim, source))
    return JudgedClaim(claim, found, load_model("hallucination").probability(found))


def distance(reading: Reading, claim: AlignedClaim, source: ClaimSource) -> float:
    """How far the meaning of a claim is from the nearer of its two nearest sentences."""
    if not claim.nearest:
        return UNRELATED
    vectors = reading.static([claim.text, *(source.sentences[k] for k in claim.nearest[:2])])
    return 1 - float((vectors[1:] @ vectors[0]).max())


def claim_features(claim: AlignedClaim, source: ClaimSource, apart: float) -> dict[str, float]:
    """What speaks against a claim. A sentence about a table has other words than the table, even if it is right."""
    unlike = sum(1 - match.likeness for match in claim.matches) / (len(claim.matches) + 1)  # of few words few can miss
    measured = {"unlike": unlike, "values": min(MAX_COUNTED, len(claim.missing))}
    return {
        **{name: 0.0 if source.is_table else value for name, value in measured.items()},
        **{f"{name}_table": value if source.is_table else 0.0 for name, value in measured.items()},
        "apart": apart,
        "names": min(MAX_COUNTED, sum(match.name and not match.found for match in claim.matches)),
        "clash": float(any(match.clash for match in claim.matches)),
        "denied": float(claim.denied),
        "flipped": float(claim.flipped),
    }


def align(sentence: str, source: ClaimSource) -> AlignedClaim:
    """A sentence with each of its telling words held against the source."""
    text = JOINTS.sub(" ", sentence)
    words = [token for token in tokens(text) if token.tells]
    nearest = source.nearest(words)
    local = set().union(*(source.stems[k] for k in nearest))
    told = [value for value in values(text) if value.kind != "state" and value.text.lower() not in SPELLED]
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
