"""How each agent did over the whole run, summed up from its interactions, with the advice for its makers."""

from collections.abc import Mapping
from typing import NamedTuple

from viva.engine import recommending
from viva.engine.analysis import AgentResult, Recommendation
from viva.engine.evidence import MAX_EVIDENCE_PIECES, Evidence, InteractionIndex, Issue, Score, worst
from viva.engine.reading import Reading
from viva.engine.scoring import AGENT_WEIGHTS, average, round_score, weighted_mean

ScoresByPlace = Mapping[str, Mapping[InteractionIndex, Score]]  # by the names of AGENT_WEIGHTS


class AgentSum(NamedTuple):
    """How one agent did, and the advice for its makers."""

    result: AgentResult
    advice: list[Recommendation]


class Share(NamedTuple):
    """What of a run is one agent's: the places of its interactions, its issues, and how it corrected itself."""

    agent_id: str
    places: list[InteractionIndex]
    issues: list[Issue]
    correction: Score


def sums(
    reading: Reading, parts: ScoresByPlace, issues: list[Issue], corrections: Mapping[str, Score]
) -> dict[str, AgentSum]:
    """Every agent's sum, in the order in which the trace names them."""
    shares = {agent.id: Share(agent.id, [], [], corrections.get(agent.id, Score())) for agent in reading.trace.agents}
    for place in reading.places:
        shares[place.interaction.agent_id].places.append((place.turn, place.part))
    for issue in issues:
        shares[issue.agent_id].issues.append(issue)
    return {agent_id: sum_agent(reading, parts, share) for agent_id, share in shares.items()}


def sum_agent(reading: Reading, parts: ScoresByPlace, share: Share) -> AgentSum:
    scores = {name: [parts[name][at] for at in share.places if at in parts[name]] for name in AGENT_WEIGHTS}
    values = {name: average(score.value for score in found) for name, found in scores.items()}
    name = reading.agents[share.agent_id].name or share.agent_id
    advice = recommending.for_agent(share.agent_id, name, values, share.issues)
    result = AgentResult(
        overall=round_score(weighted_mean(values, AGENT_WEIGHTS)),
        **{name: round_score(value) for name, value in values.items()},
        self_correction=round_score(share.correction.value),
        interactions_count=len(share.places),
        latency_ms=latency(reading, share.places),
        issues=tuple(dict.fromkeys(map(recommending.label, share.issues))),
        recommendations=tuple(piece.text for piece in advice),
        evidence=evidence(scores, share.correction),
    )
    return AgentSum(result, advice)


def latency(reading: Reading, places: list[InteractionIndex]) -> float | None:
    """The time an agent took, as far as the trace tells."""
    told = [reading.trace.turns[turn].agent_interactions[part].latency_ms for turn, part in places]
    known = [ms for ms in told if ms is not None]
    return sum(known) if known else None


def evidence(scores: Mapping[str, list[Score]], correction: Score) -> dict[str, tuple[Evidence, ...]]:
    """What each of an agent's scores rests on; a score without evidence is left out."""
    found = {name: worst(each) for name, each in scores.items()} | {
        "self_correction": correction.evidence[:MAX_EVIDENCE_PIECES]
    }
    return {name: pieces for name, pieces in found.items() if pieces}
