"""Response failure: the probability that an answer was bad, from the detectors' signals and from its fit to the message."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from viva.engine import wording
from viva.engine.detectors import rdm
from viva.engine.dialogue.cues import cue_reader
from viva.engine.dialogue.replies import ReplyContext, features, replies
from viva.engine.dialogue.setting import errand
from viva.engine.evidence import DetectionType, Evidence, Signal, cut
from viva.engine.logistic import head, squash
from viva.engine.meaning import Vector
from viva.engine.reading import Reading, answer, answering

FAILURE_THRESHOLD = 0.5
DETECTION_PRIORITY: tuple[DetectionType, ...] = ("rdm", "ccm", "hallucination")
MAX_CHITCHAT_CHARACTERS = 300  # of a message and its reply; only short texts are worth the sentence model
MAX_KNOWLEDGE_CHARACTERS = 1_000  # of the knowledge that a reply may be about
MIN_TASK_PROBABILITY = 0.5  # a dialogue below this probability of a task is chit-chat
SECONDARY_WEIGHT = 0.3  # of the reaction in chit-chat, where the reply counts most, and of a supporting source
BRIEF_REPLY_WORDS = 40  # up to this length the wording of a task reply counts in full; in a long report it counts less
TASK_REPLY_LOG_ODDS = -0.8  # prior; most task replies serve the user, but half of the training data did not
ASKED_AGAIN_WEIGHT = 0.8  # if the user surely asks again; some people ask twice out of habit


class ReplyFit(NamedTuple):
    """How badly a reply fits, in log odds, the weight of the user's reaction, and the strongest faults."""

    balance: float
    reaction_weight: float
    faults: list[str]


class ResponseFailure(NamedTuple):
    """The judgement on one turn's answer. `bad_score` is None if nobody answered."""

    bad_score: float | None = None
    is_bad: bool = False
    detection_type: DetectionType = "none"
    confidence: float = 0.0
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


def combine(reading: Reading, signals: dict[str, list[Signal]]) -> list[ResponseFailure]:
    """The judgement on each turn."""
    given, is_chitchat = replies(reading), errand(reading) < MIN_TASK_PROBABILITY
    reactions = [signal.probability for signal in signals["rdm"]] if "rdm" in signals else [None] * len(given)
    judged = [
        reply if is_chitchat or reaction is None else None for reply, reaction in zip(given, reactions, strict=True)
    ]
    fits = [
        ReplyFit(TASK_REPLY_LOG_ODDS, fit.reaction_weight, []) if fit and reply and is_farewell(reply.said) else fit
        for fit, reply in zip(fit_replies(reading, judged, is_chitchat), judged, strict=True)
    ]
    return [
        judge_turn(reading, t, reply, fits[t], {name: found[t] for name, found in signals.items()})
        if reply
        else judge_silence(reading, t)
        for t, reply in enumerate(given)
    ]


def is_farewell(message: str) -> bool:
    """Whether the user only thanks or says goodbye. Almost any answer serves that."""
    shows = cue_reader(message, "reactions")
    return any(map(shows, ("thanks", "closes"))) and not any(map(shows, ("asks", "orders", "complaint")))


def judge_silence(reading: Reading, t: int) -> ResponseFailure:
    """Judge a turn without an answer. It is bad if agents took part but gave the user nothing."""
    turn = reading.trace.turns[t]
    acted = any(act.agent_steps for act in turn.agent_interactions)
    if not turn.agent_interactions or acted or not (turn.user_message or "").strip() or answer(turn):
        return ResponseFailure()
    unanswered = Evidence(wording.NOBODY_ANSWERED, cut(turn.user_message or ""), turn.turn_index)
    return ResponseFailure(1.0, True, "none", 1.0, wording.NOBODY_ANSWERED, (unanswered,))


def fit_replies(reading: Reading, given: Sequence[ReplyContext | None], is_chitchat: bool) -> list[ReplyFit | None]:
    """How each reply fits its message; None if that is not needed."""
    alike = likenesses(reading, given, is_chitchat)
    return [fit(reply, likeness, is_chitchat) if reply else None for reply, likeness in zip(given, alike, strict=True)]


def fit(reply: ReplyContext, likeness: dict[str, float], is_chitchat: bool) -> ReplyFit:
    table = head("reply_errand" if not is_chitchat else "reply_talk" if likeness["fine"] else "reply_talk_static")
    found = features(reply, table.weights) | likeness
    added = {name: table.weights[name] * found[name] for name in wording.REPLY_REASONS if name in table.weights}
    faults = [name for name in sorted(added, key=lambda name: -added[name])[:2] if added[name] > 0]
    balance = log_odds(table.probability(found))
    return (
        ReplyFit(balance, SECONDARY_WEIGHT, faults)
        if is_chitchat
        else ReplyFit(brevity(reply) * balance + TASK_REPLY_LOG_ODDS, 1.0, faults)
    )


def brevity(reply: ReplyContext) -> float:
    """1 for a short reply, and less for a longer one."""
    return min(1.0, BRIEF_REPLY_WORDS / (1 + reply.reply.count(" ")))


def likenesses(reading: Reading, given: Sequence[ReplyContext | None], is_chitchat: bool) -> list[dict[str, float]]:
    """The distance of each reply to its message. Short chit-chat is compared by the sentence model."""
    material = [
        f"\n{turn.knowledge[:MAX_KNOWLEDGE_CHARACTERS]}" if turn.knowledge else "" for turn in reading.trace.turns
    ]
    pairs = [
        (reply.said + more, reply.reply, *filter(str.strip, reply.earlier_replies[:1])) if reply else ()
        for reply, more in zip(given, material, strict=True)
    ]
    fine = (
        is_chitchat
        and reading.sentence_model
        and all(len(text) <= MAX_CHITCHAT_CHARACTERS for pair in pairs for text in pair)
    )
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = (
        dict(zip(texts, reading.sentence(texts) if fine else reading.vectors(texts), strict=True)) if texts else {}
    )
    return [unlikeness([vectors[text] for text in pair]) | {"fine": float(fine)} for pair in pairs]


def unlikeness(vectors: list[Vector]) -> dict[str, float]:
    """The distance of a reply to its message, and to the reply before."""
    if not vectors:
        return {}
    before = 1 - float(vectors[1] @ vectors[2]) if len(vectors) > 2 else 1.0
    return {"unlike": 1 - float(vectors[0] @ vectors[1]), "unlike_before": before}


def judge_turn(
    reading: Reading, turn: int, reply: ReplyContext, fit: ReplyFit | None, signals: dict[str, Signal]
) -> ResponseFailure:
    """Combine the user's reaction with the reply's fit. Repeated questions and hallucinations raise the score."""
    reaction_probability = signals["rdm"].probability if "rdm" in signals else None
    reaction = 0.0 if reaction_probability is None else log_odds(reaction_probability)
    hallucinated = signals["hallucination"].probability if "hallucination" in signals else None
    balance = fit.balance + fit.reaction_weight * reaction if fit else reaction
    if fit and hallucinated is not None and hallucinated < FAILURE_THRESHOLD:
        # An answer that its source supports may repeat words of both.
        balance += SECONDARY_WEIGHT * log_odds(hallucinated)
    score = 1 - (1 - squash(balance)) * (1 - ASKED_AGAIN_WEIGHT * excess_probability(signals, "ccm"))
    if hallucinated is not None and hallucinated >= FAILURE_THRESHOLD:
        score = max(score, hallucinated)
    return verdict(reading, turn, reply, round(score, 4), fit.faults if fit else [], signals)


def log_odds(probability: float) -> float:
    clipped = min(max(probability, 0.001), 0.999)
    return math.log(clipped / (1 - clipped))


def excess_probability(signals: dict[str, Signal], name: str) -> float:
    """How far a signal is above 0.5, as a number from 0 to 1."""
    found = signals[name].probability if name in signals else None
    return max(0.0, 2 * (found or 0.0) - 1)


def verdict(
    reading: Reading, turn: int, reply: ReplyContext, score: float, faults: list[str], signals: dict[str, Signal]
) -> ResponseFailure:
    """The score with its detection type: the first signal of at least 0.5 by priority, else the reply's own faults."""
    raised = {
        kind: signals[kind]
        for kind in DETECTION_PRIORITY
        if kind in signals and (signals[kind].probability or 0) >= FAILURE_THRESHOLD
    }
    if score < FAILURE_THRESHOLD:
        return served_turn(reading, turn, reply, score, list(raised.values()))
    if "ccm" in raised and "rdm" in raised and raised["rdm"].reason in rdm.REPEATED:
        del raised["rdm"]  # a user who only asks again does not correct
    for kind, signal in raised.items():
        return ResponseFailure(score, True, kind, signal.probability or 0.0, signal.reason, signal.evidence)
    whys = [wording.REPLY_REASONS[name] for name in faults] or [wording.REPLY_DOES_NOT_FIT]
    return ResponseFailure(
        score, True, "none", score, whys[0], tuple(answer_evidence(reading, turn, reply, why) for why in whys)
    )


def answer_evidence(reading: Reading, turn: int, reply: ReplyContext, why: str) -> Evidence:
    return Evidence(why, cut(reply.reply), reading.turn_index(turn), answering(reading.trace.turns[turn]))


def served_turn(
    reading: Reading, turn: int, reply: ReplyContext, score: float, raised: list[Signal]
) -> ResponseFailure:
    """An answer that probably served, with the signals against it."""
    if not raised:
        nothing = answer_evidence(reading, turn, reply, wording.NOTHING_AGAINST_REPLY)
        return ResponseFailure(score, False, "none", round(1 - score, 4), wording.REPLY_SERVED, (nothing,))
    reason = wording.REPLY_FITS_ANYWAY.format(reason=raised[0].reason)
    return ResponseFailure(score, False, "none", round(1 - score, 4), reason, raised[0].evidence)


def with_judge(found: ResponseFailure, signal: Signal) -> ResponseFailure:
    """The judgement with the judge's signal. It counts only if no detector has found the turn bad."""
    if found.is_bad or signal.probability is None or signal.probability < FAILURE_THRESHOLD:
        return found
    return ResponseFailure(signal.probability, True, "llm_judge", signal.probability, signal.reason, signal.evidence)
