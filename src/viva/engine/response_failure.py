"""Response failure: the probability that an answer was bad, from the detectors' signals, at the base rate of bad answers."""

from typing import NamedTuple

from viva.engine import wording
from viva.engine.dialogue.language import language
from viva.engine.dialogue.reactions import REPETITION, asks_back
from viva.engine.dialogue.replies import misfits
from viva.engine.evidence import DetectionType, Evidence, Signal, cut
from viva.engine.logistic import at_base_rate, log_odds, squash
from viva.engine.reading import Reading, answer, answering, messages_and_answers

FAILURE_THRESHOLD = 0.5
MISFIT_LIMIT = 0.49  # at most, for an answer that only does not seem to fit: enough to rank it, not to call it bad
CONTENT_WEIGHT = 0.5  # of a reaction that speaks for the answer: few users complain, even about a bad one
DETECTION_PRIORITY: tuple[DetectionType, ...] = ("rdm", "ccm", "hallucination")


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
    fits = misfits(reading)
    return [
        judge_turn(reading, t, fits[t], {name: found[t] for name, found in signals.items()})
        if message and reply
        else judge_silence(reading, t)
        for t, (message, reply) in enumerate(messages_and_answers(reading))
    ]


def judge_silence(reading: Reading, t: int) -> ResponseFailure:
    """Judge a turn without an answer. It is bad if agents took part but gave the user nothing."""
    turn = reading.trace.turns[t]
    acted = any(act.agent_steps for act in turn.agent_interactions)
    if not turn.agent_interactions or acted or not (turn.user_message or "").strip() or answer(turn):
        return ResponseFailure()
    unanswered = Evidence(wording.NOBODY_ANSWERED, cut(turn.user_message or ""), turn.turn_index)
    return ResponseFailure(1.0, True, "none", 1.0, wording.NOBODY_ANSWERED, (unanswered,))


def judge_turn(reading: Reading, t: int, misfit: float, signals: dict[str, Signal]) -> ResponseFailure:
    """Whichever is more probable: that the user's words tell of a bad answer, or that its sources do."""
    follows = "ccm" in signals and signals["ccm"].probability is not None
    against = words_against(signals, follows and asks_back(answer(reading.trace.turns[t]), language(reading)))
    told = at_base_rate(squash(against), reading.base_rate)
    if told < FAILURE_THRESHOLD:
        told = min(at_base_rate(squash(against + misfit), reading.base_rate), MISFIT_LIMIT)
    unsupported = at_base_rate(probability(signals, "hallucination", 0.0), reading.base_rate)
    return verdict(reading, t, round(max(told, unsupported), 4), signals)


def words_against(signals: dict[str, Signal], asks: bool) -> float:
    """The log odds by what the user says next; 0, no evidence, where nothing was said.

    To ask again tells nothing if the answer `asks` for it, and less the more content the user is.
    """
    reaction = log_odds(probability(signals, "rdm"))
    reaction *= CONTENT_WEIGHT if reaction < 0 else 1.0
    again = 0.0 if asks else log_odds(probability(signals, "ccm"))
    return max(reaction, again + min(0.0, reaction))


def probability(signals: dict[str, Signal], name: str, unknown: float = 0.5) -> float:
    found = signals[name].probability if name in signals else None
    return unknown if found is None else found


def verdict(reading: Reading, t: int, score: float, signals: dict[str, Signal]) -> ResponseFailure:
    """The score with its detection type: by priority the first signal that is enough alone, else the first against the answer.

    Without any signal against it an answer is not called bad, however frequent bad answers are.
    """
    against = [kind for kind in DETECTION_PRIORITY if probability(signals, kind, 0.0) >= FAILURE_THRESHOLD]
    if score < FAILURE_THRESHOLD or not against:
        return served_turn(reading, t, score, signals, against)
    if against[:2] == ["rdm", "ccm"] and signals["rdm"].reason == REPETITION:
        against.remove("rdm")  # a user who only asks again does not correct
    enough = [k for k in against if at_base_rate(probability(signals, k), reading.base_rate) >= FAILURE_THRESHOLD]
    kind = (enough or against)[0]
    return ResponseFailure(score, True, kind, score, signals[kind].reason, signals[kind].evidence)


def served_turn(
    reading: Reading, t: int, score: float, signals: dict[str, Signal], against: list[DetectionType]
) -> ResponseFailure:
    """An answer that probably served, with the first signal against it, or why the user's words tell nothing."""
    turn, unread = reading.trace.turns[t], signals.get("rdm", Signal())
    nothing = Evidence(wording.NOTHING_AGAINST_REPLY, cut(answer(turn)), turn.turn_index, answering(turn))
    evidence: tuple[Evidence, ...] = (nothing,)
    reason = wording.REPLY_SERVED
    if against:
        reason, evidence = wording.NOT_ENOUGH.format(reason=signals[against[0]].reason), signals[against[0]].evidence
    elif unread.probability is None and unread.reason:
        reason = unread.reason
    return ResponseFailure(score, False, "none", round(1 - score, 4), reason, evidence)


def with_judge(found: ResponseFailure, signal: Signal) -> ResponseFailure:
    """The judgement with the judge's signal. It counts only if no detector has found the turn bad."""
    if found.is_bad or signal.probability is None or signal.probability < FAILURE_THRESHOLD:
        return found
    return ResponseFailure(signal.probability, True, "llm_judge", signal.probability, signal.reason, signal.evidence)
