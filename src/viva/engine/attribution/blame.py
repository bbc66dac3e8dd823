"""Failure attribution: the interaction whose mistake was decisive, and its agent. Nobody is blamed without a fault."""

from collections.abc import Sequence
from typing import NamedTuple

from viva.engine.attribution.acts import Run, plain, said_texts, seen_texts
from viva.engine.attribution.faults import FAULT_MEANINGS, is_concrete
from viva.engine.attribution.mistakes import ACT_SIGNS, CLAIMS_DEED, GIVES_UP, MADE_UP, PRESENTS, suspicions
from viva.engine.evidence import Attribution, Evidence, InteractionIndex, cut
from viva.engine.faults import RunFault
from viva.engine.logistic import load_model, log_odds, squash
from viva.engine.reading import Reading
from viva.engine.text.phrases import Phrases

PIECES = 3  # of evidence: what weighs most
BEFORE = 60  # characters quoted before the telling word
CLEAR = 0.5  # a sign below this is no reason to name
FAULT_RATE = 0.12  # share of runs that have a decisive mistake and do not look failed
MISTAKE_RATE = 0.1  # of the acts of a failed run, up to the decisive one; best on sources left out
PROBABLE = 0.5  # that there was a decisive mistake; below this nobody is blamed without a concrete fault
WORDS = {"made_up_data": MADE_UP, "gives_up": GIVES_UP, "claimed_deed": CLAIMS_DEED, "presents": PRESENTS}
UNTOLD = "took the step on which the run depended"
# Signs that only tell where in a failed run to look. Alone they are no fault, and nobody is blamed for them with confidence.
PLACE_SIGNS = frozenset(("presents", "opening_off_task", "off_order", "unsourced_claim"))
NO_FAULT_CONFIDENCE = 0.45  # at most, where no fault was found in the act
OUTCOMES = ("try_failed", "try_gave_nothing")


class Blame(NamedTuple):
    """The decisive mistake, and the probability of each interaction to have made it."""

    attribution: Attribution | None
    shares: dict[InteractionIndex, float]


def attribute(reading: Reading, failed: float | None, faults: Sequence[RunFault] = ()) -> Blame:
    """The decisive mistake, given how probably the run failed and what was found wrong in it.

    None if nobody acted, if the trace says that it succeeded, or if there probably was no mistake and nothing concrete was found.
    """
    if not reading.places or not failed:
        return Blame(None, {})
    run, doubtful = Run(reading), not any(map(is_concrete, faults))
    # A single agent is to blame as surely as its run failed. Signs tell the agents of a team apart.
    if doubtful and not run.team and failed < PROBABLE:
        return Blame(None, {})
    rows = suspicions(reading, run, faults)
    shares = decisive_shares(rows, failed, FAULT_RATE if run.team else 0.0)
    if doubtful and sum(shares) < PROBABLE:
        return Blame(None, {})
    by_agent: dict[str, float] = {}
    for act, share in zip(run.acts, shares, strict=True):
        by_agent[act.agent_id] = by_agent.get(act.agent_id, 0.0) + share
    # Agent and interaction matter alike, so the best guess has the highest sum of both probabilities.
    k = max(range(len(shares)), key=lambda k: shares[k] + by_agent[run.acts[k].agent_id])
    own = [fault for fault in faults if (fault.turn, fault.part) == run.places[k][:2]]
    telling, sure = most_telling(rows[k]), by_agent[run.acts[k].agent_id]
    if not own and PLACE_SIGNS.issuperset(telling):
        sure = min(sure, NO_FAULT_CONFIDENCE)
    blamed = make_attribution(reading, run, k, sure, own, telling)
    return Blame(blamed, {place[:2]: share for place, share in zip(run.places, shares, strict=True)})


def decisive_shares(rows: list[dict[str, float]], failed: float, fault_rate: float = FAULT_RATE) -> list[float]:
    """The probability of each act to be the decisive mistake, given how probably the run failed.

    If it failed, one of the acts was it. If not, there may be a mistake all the same, though seldom.
    """
    odds = list(map(load_model("blame").log_odds, rows))
    spoilt, spared = first_mistakes(odds, MISTAKE_RATE), first_mistakes(odds, fault_rate / len(rows))
    total = sum(spoilt)
    return [failed * one / total + (1 - failed) * other for one, other in zip(spoilt, spared, strict=True)]


def first_mistakes(log_odds_by_act: list[float], rate: float) -> list[float]:
    """The probability of each act to be the first mistake, where so many acts are one. What follows it is its consequence."""
    shares, faultless = [], 1.0
    for odds in log_odds_by_act:
        mistaken = squash(odds + log_odds(rate)) if rate else 0.0
        shares.append(faultless * mistaken)
        faultless *= 1 - mistaken
    return shares


def most_telling(row: dict[str, float]) -> list[str]:
    """The signs of an act that say most to a reader."""
    return [sign.name for sign in ACT_SIGNS if sign.meaning and row[sign.name] >= CLEAR][:PIECES]


def make_attribution(
    reading: Reading, run: Run, k: int, confidence: float, faults: list[RunFault], telling: list[str]
) -> Attribution:
    """Act `k` as the decisive mistake, by the faults found in it, else by the signs that tell most."""
    agent_id, place = run.acts[k].agent_id, run.places[k]
    faults = sorted(faults, key=lambda fault: (not is_concrete(fault), -fault.confidence))
    meanings = {sign.name: sign.meaning for sign in ACT_SIGNS}
    signs = [sign_evidence(reading, run, k, name, meanings[name]) for name in telling]
    pieces = (*(fault.evidence for fault in faults), *signs)[:PIECES]
    if not pieces:
        words = cut(telling_piece(said_texts(place.interaction), None))
        pieces = (Evidence(UNTOLD, words, reading.turn_index(place.turn), place.part),)
    if faults:
        reason = f"{agent_id} {FAULT_MEANINGS[faults[0].kind]}: {faults[0].evidence.why.rstrip('.')}."
    else:
        reason = f"{agent_id} {' and '.join(meanings[name] for name in telling[:2]) or UNTOLD}."
    return Attribution(agent_id, reading.turn_index(place.turn), place.part, round(confidence, 4), reason, pieces)


def sign_evidence(reading: Reading, run: Run, k: int, name: str, meaning: str) -> Evidence:
    at = run.outcome_at(k) if name in OUTCOMES else k
    place = run.places[k if at is None else at]
    texts = seen_texts(place.interaction) if name in OUTCOMES else said_texts(place.interaction)
    why = f"{run.acts[k].agent_id} {meaning}"
    return Evidence(why, cut(telling_piece(texts, WORDS.get(name))), reading.turn_index(place.turn), place.part)


def telling_piece(texts: list[str], cue: Phrases | None) -> str:
    """The words around a cue in the first text that has it; where none has, the first text."""
    for text in texts:
        if cue is not None and (at := cue.find(plain(text))) >= 0:
            return text[max(0, at - BEFORE) :]
    return texts[0] if texts else ""
