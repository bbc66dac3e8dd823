"""Hallucination: the answer says what neither the knowledge nor the tool results bear out."""

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from viva.engine import wording
from viva.engine.claims.alignment import AlignedClaim, Match, align
from viva.engine.claims.source import ClaimSource, roots
from viva.engine.claims.unseen import SeenFacts, unknown_facts
from viva.engine.evidence import Evidence, Signal, cut
from viva.engine.logistic import LogisticModel, head
from viva.engine.meaning import Embedder
from viva.engine.model import Turn
from viva.engine.reading import MAX_TEXT_CHARACTERS, Reading, answering, flat
from viva.engine.text.sentences import sentences

CITATION = re.compile(r"\[\d{1,3}\]|</?s>")  # "[3]" points at a source and is no number of the claim
OPENING = re.compile(
    r"^\s*(?:yes|no|yeah|nope|sure|right|correct)\s*[,.!:]\s+(?=\w)", re.I
)  # the claim itself comes after
SELF = re.compile(r"\b(?:i|im|my|me|mine)\b")  # in small letters
CLAIMS = 60  # sentences of a response that are checked
PIECES = 5  # of evidence for one turn
FLOOR = -5.0  # log odds of a word nobody would doubt
DOUBT = (0.3, 0.7)  # between these the sentence model is asked
SUSPECT = 0.2  # a word this doubtful is shown as evidence


class Doubt(NamedTuple):
    """A word of a response and the probability that it is where the response leaves its source."""

    probability: float
    match: Match
    claim: AlignedClaim


def detect(reading: Reading) -> list[Signal]:
    """One signal for each turn; its probability is None where there is nothing to hold the answer against."""
    known = SeenFacts(reading.trace)
    return [judge(reading, turn, known) for turn in reading.trace.turns]


def judge(reading: Reading, turn: Turn, known: SeenFacts) -> Signal:
    known.hear(turn)
    place = answering(turn)
    if place < 0:
        return Signal(None, wording.NO_ANSWER)
    response = (turn.agent_interactions[place].agent_response or "")[:MAX_TEXT_CHARACTERS]
    if turn.knowledge and turn.knowledge.strip():
        return against_knowledge(reading, turn, place, response)
    if known.results:
        return unknown_facts(turn, place, response, known)
    return Signal(None, wording.NO_SOURCE)


def against_knowledge(reading: Reading, turn: Turn, place: int, response: str) -> Signal:
    source = ClaimSource("\n".join([turn.knowledge or "", *results(turn)]))
    claims = align_claims(response, source)
    doubts = find_doubts(claims, head("hallucination_words"))
    asked = roots((turn.user_message or "")[:MAX_TEXT_CHARACTERS])
    weak = weakest(claims)
    probability = head("hallucination_static").probability(
        features(claims, doubts, asked, distance(reading.static, weak, source))
    )
    if reading.sentence_model and DOUBT[0] < probability < DOUBT[1]:
        apart = distance(reading.sentence, weak, source)
        probability = head("hallucination").probability(features(claims, doubts, asked, apart))
    evidence = tuple(doubt_evidence(doubts, claims, source, turn.turn_index, place))[:PIECES]
    return Signal(probability, reason(probability, doubts, claims), evidence)


def align_claims(response: str, source: ClaimSource) -> list[AlignedClaim]:
    """The sentences of a response, each held against the source."""
    said = OPENING.sub("", CITATION.sub("", response))
    return [align(sentence, source) for sentence in sentences(said, CLAIMS)]


def results(turn: Turn) -> list[str]:
    """What the tools gave back in a turn."""
    steps = [step for act in turn.agent_interactions for step in act.agent_steps]
    texts = [step.observation or "" for step in steps] + [
        flat(step.tool_call.result) for step in steps if step.tool_call
    ]
    return [text[:MAX_TEXT_CHARACTERS] for text in texts if text]


def find_doubts(claims: list[AlignedClaim], table: LogisticModel) -> list[Doubt]:
    """How doubtful each word is by itself, the most doubtful first."""
    doubts = [
        Doubt(table.probability(word_features(match)), match, claim) for claim in claims for match in claim.matches
    ]
    return sorted(doubts, key=lambda doubt: -doubt.probability)


def word_features(match: Match) -> dict[str, float]:
    """Why a word may be wrong."""
    novel = not match.found and not match.number and not match.name
    spelled = match.number and not match.token.word[0].isdigit()
    return {
        "novel": (1 - match.near) * novel,
        "novel_verb": novel and match.kind == "v",
        "novel_adverb": novel and match.kind == "r",
        "number_missing": match.number and not match.found,
        "number_word_missing": spelled and not match.found,
        "name": match.name,
        "name_missing": match.name and not match.found,
        "opposite": bool(match.opposite),
        "clash": bool(match.clash),
        "denied": match.denied,
    }


def features(claims: list[AlignedClaim], doubts: list[Doubt], asked: set[str], apart: float) -> dict[str, float]:
    """What the probability of a whole response rests on; `apart` is the distance of its weakest claim."""
    words = [match for claim in claims for match in claim.matches]
    new = [match for match in words if not match.found and match.token.stem not in asked]
    unlike, loose = share(1 - support(match) for match in words), share(not match.adjacent for match in words)
    return {
        "gap": (unlike + loose + 2 * apart) / 4,
        "worst_word": max(FLOOR, log_odds(doubts[0].probability)) if doubts else FLOOR,
        "numbers_missing": min(2, sum(match.number and match.token.word[0].isdigit() for match in new)),
        "names_missing": min(2, sum(match.name for match in new)),
        "of_itself": part(bool(SELF.search(claim.text.lower())) for claim in claims),
        "asking": part(claim.text.rstrip().endswith("?") for claim in claims),
        "length": math.log(len(words) + 1),
        "flipped": float(any(claim.flipped for claim in claims)),
    }


def support(match: Match) -> float:
    """How much of a word the sentences nearest to its claim bear out."""
    return 1.0 if match.local else min(0.9, max(0.0, match.near_local))


def share(values: Iterable[float]) -> float:
    """The mean, drawn towards 0 where there are few values: of three words nothing much can be missing."""
    given = list(values)
    return sum(given) / (len(given) + 1)


def part(values: Iterable[bool]) -> float:
    """The share of the claims of which something is true."""
    given = list(values)
    return sum(given) / len(given) if given else 0.0


def log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability)) if 0 < probability < 1 else math.copysign(20, probability - 0.5)


def weakest(claims: list[AlignedClaim]) -> AlignedClaim | None:
    """The claim that its nearest sentences bear out least."""
    told = [claim for claim in claims if claim.matches]
    return max(told, key=lambda claim: share(not match.local for match in claim.matches), default=None)


def distance(embed: Embedder, claim: AlignedClaim | None, source: ClaimSource) -> float:
    """How far the meaning of a claim is from the nearer of its two nearest sentences."""
    if claim is None or not claim.nearest:
        return 0.8  # what unrelated sentences are apart
    vectors = embed([claim.text, *(source.sentences[k] for k in claim.nearest[:2])])
    return 1 - float((vectors[1:] @ vectors[0]).max())


def reason(probability: float, doubts: list[Doubt], claims: list[AlignedClaim]) -> str:
    if probability < 0.5:
        return wording.SUPPORTED
    if any(claim.flipped for claim in claims):
        return wording.CONTRADICTED
    if doubts and doubts[0].probability >= SUSPECT:
        return why(doubts[0])
    return wording.SAYS_MORE


def why(doubt: Doubt) -> str:
    """What is wrong with a word, in one sentence."""
    match, word = doubt.match, doubt.match.token.word
    if match.clash or match.opposite:
        return wording.OTHER_WORD.format(word=word, other=match.clash or match.opposite)
    if match.denied:
        return wording.UNSUPPORTED_DENIAL.format(word=word)
    if match.number or match.name or not match.nearest:
        return wording.WORD_NOT_KNOWN.format(word=word)
    return wording.WORD_NOT_KNOWN_BUT_NEAR.format(word=word, near=match.nearest)


def doubt_evidence(
    doubts: list[Doubt], claims: list[AlignedClaim], source: ClaimSource, turn: int, place: int
) -> Iterable[Evidence]:
    """The doubtful words with their claims, and what the knowledge says instead."""
    suspects = [doubt for doubt in doubts if doubt.probability >= SUSPECT][: PIECES - 2]
    for doubt in suspects:
        yield Evidence(why(doubt), cut(doubt.claim.text), turn, place)
    worst = suspects[0].claim if suspects else weakest(claims)
    if worst is None:
        yield Evidence(wording.NOTHING_TO_CHECK, "", turn, place)
        return
    if not suspects:
        yield Evidence(wording.LEAST_SUPPORTED, cut(worst.text), turn, place)
    for k in worst.nearest[:1]:
        yield Evidence(wording.NEAREST_SENTENCE, cut(source.sentences[k]), turn)
