"""Whether a source supports an answer: each of its sentences held against the nearest sentences of the source."""

import re
from typing import NamedTuple

from viva.engine.claims.alignment import AlignedClaim, Match, align
from viva.engine.claims.source import ClaimSource
from viva.engine.logistic import Feature, FeatureTable, combine_independent, load_model, log_odds, squash
from viva.engine.reading import Reading
from viva.engine.text.sentences import sentences

CITATION = re.compile(r"\[\d{1,3}\]|</?s>")  # "[3]" points at a source and is no number of the claim
OPENING = re.compile(r"^\s*(?:yes|no|yeah|nope|sure|right|correct)\s*[,.!:]\s+(?=\w)", re.I)  # the claim comes after
MAX_CLAIMS = 60
MAX_COUNTED = 2.0  # values or names of one claim; more do not make it worse
UNRELATED = 0.8  # what the meanings of unrelated sentences are apart
FORM_LIKENESS = 0.9  # at most, of a word that the source has in another form
BELIEVED = 0.5

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
    unlike = sum(1 - likeness(match) for match in claim.matches) / (len(claim.matches) + 1)  # of few words few can miss
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


def likeness(match: Match) -> float:
    """How much of a word the sentences nearest to its claim bear out."""
    return 1.0 if match.local else min(FORM_LIKENESS, max(0.0, match.near))
