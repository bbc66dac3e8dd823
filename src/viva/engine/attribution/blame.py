"""Failure attribution: in a run that failed, the interaction whose mistake was decisive, and its agent."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from viva.engine.attribution.acts import Run, plain, said_texts, seen_texts
from viva.engine.attribution.mistakes import signs
from viva.engine.attribution.phrases import CLAIMS_DEED, CONCLUDES, GIVES_UP, MADE_UP, PRESENTS
from viva.engine.evidence import Attribution, Evidence, InteractionIndex, Issue, cut
from viva.engine.logistic import head
from viva.engine.reading import Place, Reading, interaction_text

PIECES = 3  # of evidence: the signs that weigh most
BEFORE = 60  # characters quoted before the telling word

UNLIKELY = 0.3  # below this probability of failure nobody is blamed
UNNOTICED = 0.05  # what the probability of a bad answer is held above, and from 1: nobody complains of everything
FAULTY = {"high": 3.0, "medium": 2.0, "low": 1.5}  # how much more likely a call at fault makes its interaction
CLEAR = 0.5  # a share below this is no reason to name

# What a sign says about an agent, the most telling first; the last ones only tell where an act stands in the run.
SAYS = {
    "made_up_data": "worked with assumed or made-up data",
    "try_failed": "gave code or a call that failed",
    "try_gave_nothing": "ran something that brought no result",
    "opening_off_task": "opened the run with little that is about the task",
    "opening_executed": "opened the run with something that was executed unchecked",
    "gives_up": "could not do its part with the means it had",
    "source_of_answer": "brought values on which the run ended",
    "first_claimed_deed": "claimed to have looked something up, with nothing to show for it",
    "first_conclusion": "drew the first conclusion",
    "presents": "stated results that the others built on",
    "off_order": "did something other than it was told",
    "last_of_few": "made the last contribution before the run ended",
    "handed_on": "handed on what the next agent relied on",
    "tries": "chose what was tried",
    "second": "set the direction early",
    "about_task": "took on the core of the task",
    "under_direction": "did the work it was sent to do",
}
WORDS: dict[str, re.Pattern[str]] = {
    "made_up_data": MADE_UP,
    "gives_up": GIVES_UP,
    "first_claimed_deed": CLAIMS_DEED,
    "first_conclusion": CONCLUDES,
    "presents": PRESENTS,
}
UNTOLD = "took the step on which the run depended"
OUTCOMES = ("try_failed", "try_gave_nothing")


class Lead(NamedTuple):
    """How many times more than elsewhere a mistake is to be looked for in an interaction, and what shows it."""

    weight: float
    evidence: tuple[Evidence, ...]


class Blame(NamedTuple):
    """The decisive mistake, and how the suspicion of it is shared among the interactions; 1 in all."""

    attribution: Attribution | None
    shares: dict[InteractionIndex, float]


Leads = Mapping[InteractionIndex, Lead]
NO_LEAD = Lead(1.0, ())


def shares(found: list[dict[str, float]]) -> list[float]:
    """How the guilt is shared among the acts by their signs alone."""
    weights = head("blame").weights
    scores = [sum(weights[name] * value for name, value in signs.items()) for signs in found]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def attribute(reading: Reading, failed: float | None, leads: Leads = MappingProxyType({})) -> Blame:
    """The decisive mistake, given how probably the run failed. None where nobody acted, or where failure is unlikely or not known."""
    if not reading.places or failed is None or failed < UNLIKELY:
        return Blame(None, {})
    if len(reading.places) == 1:
        return Blame(only_act(reading, failed), {reading.places[0][:2]: 1.0})
    run = Run(reading)
    found = signs(reading, run)
    guilt = follow_leads(shares(found), run.places, leads)
    by_agent: dict[str, float] = {}
    for act, share in zip(run.acts, guilt, strict=True):
        by_agent[act.agent_id] = by_agent.get(act.agent_id, 0.0) + share
    # Agent and interaction matter alike, so the best guess has the highest sum of both probabilities.
    k = max(range(len(guilt)), key=lambda k: guilt[k] + by_agent[run.acts[k].agent_id])
    seen = leads.get(run.places[k][:2], NO_LEAD).evidence
    blamed = make_attribution(reading, run, k, by_agent[run.acts[k].agent_id] * failed, most_telling(found[k]), seen)
    return Blame(blamed, {place[:2]: share for place, share in zip(run.places, guilt, strict=True)})


def make_attribution(
    reading: Reading, run: Run, k: int, confidence: float, telling: list[str], seen: tuple[Evidence, ...]
) -> Attribution:
    """Act `k` as the decisive mistake, by the signs that tell most and by what was seen of it elsewhere."""
    agent_id, place = run.acts[k].agent_id, run.places[k]
    pieces = (*seen, *(evidence(reading, run, k, name) for name in telling))[:PIECES]
    pieces = pieces or (standing(reading, place, UNTOLD),)
    reason = sentence(agent_id, telling, seen)
    return Attribution(agent_id, reading.turn_index(place.turn), place.part, round(confidence, 4), reason, pieces)


def leads(reading: Reading, turns: Sequence[float | None], issues: Iterable[Issue]) -> Leads:
    """Where else than in the acts themselves a mistake shows.

    Where the answer failed the user, since what displeased is near what went wrong; and where calls were at fault.
    """
    several = len({place.turn for place in reading.places}) > 1
    found = {place[:2]: Lead(odds(turns[place.turn]) if several else 1.0, ()) for place in reading.places}
    position = {turn.turn_index: t for t, turn in enumerate(reading.trace.turns)}
    for issue in issues:
        where = position[issue.turn_index], issue.interaction_index
        seen = Evidence(issue.message, cut(issue.evidence), issue.turn_index, issue.interaction_index, issue.step_index)
        found[where] = Lead(found[where].weight * FAULTY[issue.severity], (*found[where].evidence, seen)[:PIECES])
    return found


def odds(bad: float | None) -> float:
    """How much more likely than not an answer was bad."""
    probability = min(max(bad or 0.0, UNNOTICED), 1 - UNNOTICED)
    return probability / (1 - probability)


def follow_leads(guilt: list[float], places: list[Place], leads: Leads) -> list[float]:
    """The shares of guilt, moved to where the leads point."""
    weights = [share * leads.get(place[:2], NO_LEAD).weight for share, place in zip(guilt, places, strict=True)]
    total = sum(weights)
    return [weight / total for weight in weights]


def only_act(reading: Reading, sure: float) -> Attribution:
    place = reading.places[0]
    agent_id, turn_index = place.interaction.agent_id, reading.turn_index(place.turn)
    why = "the only interaction of the run"
    found = standing(reading, place, why)
    return Attribution(agent_id, turn_index, place.part, round(sure, 4), f"{agent_id} made {why}.", (found,))


def standing(reading: Reading, place: Place, why: str) -> Evidence:
    """An interaction as a whole, where no single words of it tell more than others."""
    return Evidence(why, cut(interaction_text(place.interaction)), reading.turn_index(place.turn), place.part)


def most_telling(found: dict[str, float]) -> list[str]:
    """The signs against an act that say most to a reader."""
    return [name for name in SAYS if found.get(name, 0.0) >= CLEAR][:PIECES]


def sentence(agent_id: str, telling: list[str], seen: tuple[Evidence, ...]) -> str:
    if seen:
        return f"{agent_id} made a call at fault: {seen[0].why}."
    if not telling:
        return f"{agent_id} {UNTOLD}."
    return f"{agent_id} {' and '.join(SAYS[name] for name in telling[:2])}."


def evidence(reading: Reading, run: Run, k: int, name: str) -> Evidence:
    """The words an attribution rests on: those of the act, or the output that shows what came of it."""
    at = run.outcome_at(k) if name in OUTCOMES else k
    place = run.places[k if at is None else at]
    texts = seen_texts(place.interaction) if name in OUTCOMES else said_texts(place.interaction)
    why = f"{run.acts[k].agent_id} {SAYS[name]}"
    return Evidence(why, cut(telling_piece(texts, WORDS.get(name))), reading.turn_index(place.turn), place.part)


def telling_piece(texts: list[str], cue: re.Pattern[str] | None) -> str:
    """The words around a cue in the first text that has it; where none has, the first text."""
    for text in texts:
        if cue is not None and (match := cue.search(plain(text))):
            return text[max(0, match.start() - BEFORE) :]
    return texts[0] if texts else ""
