"""Badness: how probably an answer was bad, from the detectors' signals and from how it fits what was said to it."""

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

CUT = 0.5
PRIORITY: tuple[DetectionType, ...] = ("rdm", "ccm", "hallucination")
SHORT = 300  # characters up to which a message and its reply are small talk, worth the sentence model
MATERIAL = 1_000  # characters of the knowledge a reply may be about instead of the message
SMALL_TALK = 0.5  # below this probability of an errand a dialogue is small talk
LESSER = 0.3  # in an errand the user's reaction tells all; in small talk the reply tells most, the reaction this much
BRIEF = 40  # words an answer to an errand may have for its wording to tell everything; a report of pages tells little
SERVES = -0.8  # log odds of a bad answer to an errand: most serve, while the head was fitted to as many that do not
ASKED_AGAIN = 0.8  # how surely an answer was bad if the user certainly asks the same again: some ask twice out of habit


class ReplyFit(NamedTuple):
    """How badly a reply fits, in log odds; how much a reaction counts beside it; and the faults that tell most."""

    balance: float
    lesser: float
    faults: list[str]


class ResponseFailure(NamedTuple):
    """The judgement on one turn's answer. `bad_score` is None where nobody answered."""

    bad_score: float | None = None
    is_bad: bool = False
    detection_type: DetectionType = "none"
    confidence: float = 0.0
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


def combine(reading: Reading, signals: dict[str, list[Signal]]) -> list[ResponseFailure]:
    """The judgement on each turn."""
    given, small_talk = replies(reading), errand(reading) < SMALL_TALK
    reactions = [signal.probability for signal in signals["rdm"]] if "rdm" in signals else [None] * len(given)
    judged = [
        reply if small_talk or reaction is None else None for reply, reaction in zip(given, reactions, strict=True)
    ]
    fits = [
        ReplyFit(SERVES, fit.lesser, []) if fit and reply and is_farewell(reply.said) else fit
        for fit, reply in zip(fitting(reading, judged, small_talk), judged, strict=True)
    ]
    return [
        judge_turn(reading, t, reply, fits[t], {name: found[t] for name, found in signals.items()})
        if reply
        else silence(reading, t)
        for t, reply in enumerate(given)
    ]


def is_farewell(message: str) -> bool:
    """Whether the user only thanks or says goodbye, to which nearly any answer will do."""
    shows = cue_reader(message, "reactions")
    return any(map(shows, ("thanks", "closes"))) and not any(map(shows, ("asks", "orders", "complaint")))


def silence(reading: Reading, t: int) -> ResponseFailure:
    """A turn without an answer: bad if agents took it on and left the user with nothing, else not to be judged."""
    turn = reading.trace.turns[t]
    acted = any(act.agent_steps for act in turn.agent_interactions)
    if not turn.agent_interactions or acted or not (turn.user_message or "").strip() or answer(turn):
        return ResponseFailure()
    unheard = Evidence(wording.NOBODY_ANSWERED, cut(turn.user_message or ""), turn.turn_index)
    return ResponseFailure(1.0, True, "none", 1.0, wording.NOBODY_ANSWERED, (unheard,))


def fitting(reading: Reading, given: Sequence[ReplyContext | None], small_talk: bool) -> list[ReplyFit | None]:
    """How each reply fits what was said to it; None where it need not be known."""
    alike = likenesses(reading, given, small_talk)
    return [fit(reply, likeness, small_talk) if reply else None for reply, likeness in zip(given, alike, strict=True)]


def fit(reply: ReplyContext, likeness: dict[str, float], small_talk: bool) -> ReplyFit:
    table = head("reply_errand" if not small_talk else "reply_talk" if likeness["fine"] else "reply_talk_static")
    found = features(reply, table.weights) | likeness
    added = {name: table.weights[name] * found[name] for name in wording.REPLY_REASONS if name in table.weights}
    faults = [name for name in sorted(added, key=lambda name: -added[name])[:2] if added[name] > 0]
    balance = log_odds(table.probability(found))
    return ReplyFit(balance, LESSER, faults) if small_talk else ReplyFit(brief(reply) * balance + SERVES, 1.0, faults)


def brief(reply: ReplyContext) -> float:
    """1 for a short answer, less the longer it is."""
    return min(1.0, BRIEF / (1 + reply.reply.count(" ")))


def likenesses(reading: Reading, given: Sequence[ReplyContext | None], small_talk: bool) -> list[dict[str, float]]:
    """How unlike each reply is to what was said; in small talk by the sentence model, where the words are few."""
    material = [f"\n{turn.knowledge[:MATERIAL]}" if turn.knowledge else "" for turn in reading.trace.turns]
    pairs = [
        (reply.said + more, reply.reply, *filter(str.strip, reply.earlier_replies[:1])) if reply else ()
        for reply, more in zip(given, material, strict=True)
    ]
    fine = small_talk and reading.sentence_model and all(len(text) <= SHORT for pair in pairs for text in pair)
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = (
        dict(zip(texts, reading.sentence(texts) if fine else reading.vectors(texts), strict=True)) if texts else {}
    )
    return [unlikeness([vectors[text] for text in pair]) | {"fine": float(fine)} for pair in pairs]


def unlikeness(vectors: list[Vector]) -> dict[str, float]:
    """Of a reply to what it replies to, and to the reply before it."""
    if not vectors:
        return {}
    before = 1 - float(vectors[1] @ vectors[2]) if len(vectors) > 2 else 1.0
    return {"unlike": 1 - float(vectors[0] @ vectors[1]), "unlike_before": before}


def judge_turn(
    reading: Reading, turn: int, reply: ReplyContext, fit: ReplyFit | None, signals: dict[str, Signal]
) -> ResponseFailure:
    """The user's reaction and the reply's own fit weighed together; being asked again and made-up facts come on top."""
    heard = signals["rdm"].probability if "rdm" in signals else None
    reaction = 0.0 if heard is None else log_odds(heard)
    made_up = signals["hallucination"].probability if "hallucination" in signals else None
    balance = fit.balance + fit.lesser * reaction if fit else reaction
    if fit and made_up is not None and made_up < CUT:
        balance += LESSER * log_odds(made_up)  # an answer that its source bears out may well use the words of both
    score = 1 - (1 - squash(balance)) * (1 - ASKED_AGAIN * excess(signals, "ccm"))
    if made_up is not None and made_up >= CUT:
        score = max(score, made_up)
    return verdict(reading, turn, reply, round(score, 4), fit.faults if fit else [], signals)


def log_odds(probability: float) -> float:
    kept = min(max(probability, 0.001), 0.999)
    return math.log(kept / (1 - kept))


def excess(signals: dict[str, Signal], name: str) -> float:
    """How far a signal is above even chances, 0 to 1."""
    found = signals[name].probability if name in signals else None
    return max(0.0, 2 * (found or 0.0) - 1)


def verdict(
    reading: Reading, turn: int, reply: ReplyContext, score: float, faults: list[str], signals: dict[str, Signal]
) -> ResponseFailure:
    """The score with its kind: the first signal by priority that is above even chances, else the reply's own faults."""
    speaking = {kind: signals[kind] for kind in PRIORITY if kind in signals and (signals[kind].probability or 0) >= CUT}
    if score < CUT:
        return served_turn(reading, turn, reply, score, list(speaking.values()))
    if "ccm" in speaking and "rdm" in speaking and speaking["rdm"].reason in rdm.REPEATED:
        del speaking["rdm"]  # who only asks again does not correct
    for kind, signal in speaking.items():
        return ResponseFailure(score, True, kind, signal.probability or 0.0, signal.reason, signal.evidence)
    whys = [wording.REPLY_REASONS[name] for name in faults] or [wording.REPLY_DOES_NOT_FIT]
    return ResponseFailure(
        score, True, "none", score, whys[0], tuple(of_answer(reading, turn, reply, why) for why in whys)
    )


def of_answer(reading: Reading, turn: int, reply: ReplyContext, why: str) -> Evidence:
    return Evidence(why, cut(reply.reply), reading.turn_index(turn), answering(reading.trace.turns[turn]))


def served_turn(
    reading: Reading, turn: int, reply: ReplyContext, score: float, speaking: list[Signal]
) -> ResponseFailure:
    """An answer that probably served, with what still speaks against it."""
    if not speaking:
        nothing = of_answer(reading, turn, reply, wording.NOTHING_AGAINST_REPLY)
        return ResponseFailure(score, False, "none", round(1 - score, 4), wording.REPLY_SERVED, (nothing,))
    reason = wording.REPLY_FITS_ANYWAY.format(reason=speaking[0].reason)
    return ResponseFailure(score, False, "none", round(1 - score, 4), reason, speaking[0].evidence)


def with_judge(found: ResponseFailure, signal: Signal) -> ResponseFailure:
    """The judgement on a turn with the judge's word, who comes last: only where no detector has found it bad."""
    if found.is_bad or signal.probability is None or signal.probability < CUT:
        return found
    return ResponseFailure(signal.probability, True, "llm_judge", signal.probability, signal.reason, signal.evidence)
