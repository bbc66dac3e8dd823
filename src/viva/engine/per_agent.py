"""How each agent did over the whole run, summed up from its interactions, with the advice for its makers."""

from collections.abc import Mapping
from typing import NamedTuple

from viva.engine import recommending
from viva.engine.analysis import AgentResult, Recommendation
from viva.engine.evidence import MAX_EVIDENCE_PIECES, InteractionIndex, Issue, Score, worst
from viva.engine.model import TraceAgent
from viva.engine.reading import Place, Reading
from viva.engine.scoring import AGENT_WEIGHTS, average, round_score, weighted_mean

ScoresByPlace = Mapping[str, Mapping[InteractionIndex, Score]]  # by the names of AGENT_WEIGHTS


class AgentSum(NamedTuple):
    """How one agent did, and the advice for its makers."""

    result: AgentResult
    advice: list[Recommendation]


def sums(
    reading: Reading, parts: ScoresByPlace, issues: list[Issue], corrections: Mapping[str, Score]
) -> dict[str, AgentSum]:
    """Every agent's sum, in the order in which the trace names them."""
    places: dict[str, list[Place]] = {agent.id: [] for agent in reading.trace.agents}
    mine: dict[str, list[Issue]] = {agent_id: [] for agent_id in places}
    for place in reading.places:
        places[place.interaction.agent_id].append(place)
    for issue in issues:
        mine[issue.agent_id].append(issue)
    return {
        agent_id: sum_agent(reading.agents[agent_id], parts, own, mine[agent_id], corrections.get(agent_id, Score()))
        for agent_id, own in places.items()
    }


def sum_agent(
    agent: TraceAgent, parts: ScoresByPlace, places: list[Place], issues: list[Issue], correction: Score
) -> AgentSum:
    """One agent's sum. What the trace does not tell of its time is left out, and so is a score without evidence."""
    scores = {name: [parts[name][at[:2]] for at in places if at[:2] in parts[name]] for name in AGENT_WEIGHTS}
    values = {name: average(score.value for score in found) for name, found in scores.items()}
    advice = recommending.for_agent(agent.id, agent.name or agent.id, values, issues)
    times = [place.interaction.latency_ms for place in places if place.interaction.latency_ms is not None]
    evidence = {name: worst(each) for name, each in scores.items()}
    evidence["self_correction"] = correction.evidence[:MAX_EVIDENCE_PIECES]
    result = AgentResult(
        overall=round_score(weighted_mean(values, AGENT_WEIGHTS)),
        **{name: round_score(value) for name, value in values.items()},
        self_correction=round_score(correction.value),
        interactions_count=len(places),
        latency_ms=sum(times) if times else None,
        issues=tuple(dict.fromkeys(map(recommending.label, issues))),
        recommendations=tuple(piece.text for piece in advice),
        evidence={name: pieces for name, pieces in evidence.items() if pieces},
    )
    return AgentSum(result, advice)
