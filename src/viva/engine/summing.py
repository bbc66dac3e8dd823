"""Summing up: from what detectors and measures found to the one analysis of a run."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from viva.engine import recommending
from viva.engine.analysis import (
    AgentResult,
    Analysis,
    ConversationCounts,
    IntakeSummary,
    InteractionResult,
    InteractionScores,
    JudgeUse,
    Recommendation,
    TurnResult,
)
from viva.engine.attribution.blame import Blame
from viva.engine.evidence import (
    MAX_EVIDENCE_PIECES,
    Coordination,
    Evidence,
    InteractionIndex,
    Issue,
    Score,
    Signal,
    Trajectory,
    cut,
    worst,
)
from viva.engine.measures.completion import Completion
from viva.engine.measures.spending import measure_cost, measure_latency
from viva.engine.measures.tool_use import ToolUse
from viva.engine.model import TraceAgent
from viva.engine.reading import Place, Reading, answering, calls, interaction_text
from viva.engine.response_failure import ResponseFailure
from viva.engine.scoring import AGENT_WEIGHTS, SCORE_DIGITS, SESSION_WEIGHTS, average, round_score, weighted_mean

ScoresByPlace = Mapping[str, Mapping[InteractionIndex, Score]]  # by the names of AGENT_WEIGHTS
SUSPICION = 0.1  # a smaller probability of the decisive mistake is nobody's in particular


class DetectorResults(NamedTuple):
    """What the detectors say of every turn, the judgement on each answer, and what a judge cost."""

    signals: dict[str, list[Signal]]
    turns: list[ResponseFailure]
    judge: JudgeUse | None


class MeasureResults(NamedTuple):
    """What the measures say of every interaction and of the whole."""

    parts: ScoresByPlace
    tools: ToolUse
    team: Coordination
    drift: Score
    completion: Completion
    blame: Blame
    course: Trajectory
    corrections: dict[str, Score]


class AgentSum(NamedTuple):
    """How one agent did, and the advice for its makers."""

    result: AgentResult
    advice: list[Recommendation]


def make_analysis(reading: Reading, talk: DetectorResults, work: MeasureResults) -> Analysis:
    parts = answered_for(reading, talk, work)
    agents = sum_agents(reading, parts, work.tools.issues, work.corrections)
    conversation = count_turns(talk.turns)
    scores = session_scores(talk, work)
    return Analysis(
        id=reading.trace.id,
        overall_score=round_score(weighted_mean(scores, SESSION_WEIGHTS)),
        conversation_score=round_score(scores["conversation"]),
        tool_use_score=round_score(scores["tool_use"]),
        coordination_score=round_score(scores["coordination"]),
        reasoning_score=round_score(scores["reasoning"]),
        intent_drift_score=round_score(work.drift.value),
        task_completion=work.completion.task_completion,
        task_completion_score=round_score(work.completion.score.value),
        failure_attribution=work.blame.attribution,
        per_agent_scores={agent_id: agent.result for agent_id, agent in agents.items()},
        turn_results=(turns := turn_results(reading, talk, parts)),
        interaction_results=interaction_results(reading, turns, work.tools.issues),
        issues=tuple(work.tools.issues),
        trajectory=work.course,
        coordination=work.team,
        latency=measure_latency(reading.trace),
        cost=measure_cost(reading.trace),
        conversation=conversation,
        recommendations=recommending.advise(scores, conversation, [agent.advice for agent in agents.values()]),
        evidence=session_evidence(talk, work),
        intake=summarise_intake(reading),
        judge=talk.judge,
    )


def summarise_intake(reading: Reading) -> IntakeSummary:
    """What was read, so that a reader sees whether the input was understood."""
    trace = reading.trace
    called = sum(1 for place in reading.places for _ in calls(place.interaction))
    counts = len(trace.agents), len(trace.turns), len(reading.places), called
    return IntakeSummary(trace.form or "native", trace.form_version, *counts, trace.dropped)


def session_scores(talk: DetectorResults, work: MeasureResults) -> dict[str, float | None]:
    return {
        "conversation": average([float(not turn.is_bad) for turn in talk.turns if turn.bad_score is not None]),
        "tool_use": work.tools.total.value,
        "coordination": work.team.score.value,
        "reasoning": average([score.value for score in work.parts["reasoning"].values()]),
        "on_task": None if work.drift.value is None else 1 - work.drift.value,
    }


def session_evidence(talk: DetectorResults, work: MeasureResults) -> dict[str, tuple[Evidence, ...]]:
    """What the scores of the run rest on."""
    heads = [piece for turn in talk.turns if turn.is_bad for piece in turn.evidence[:1]]
    found = {
        "conversation_score": tuple(heads),
        "tool_use_score": work.tools.total.evidence,
        "coordination_score": work.team.score.evidence,
        "reasoning_score": worst(work.parts["reasoning"].values()),
        "intent_drift_score": work.drift.evidence,
        "task_completion_score": work.completion.score.evidence,
    }
    return {name: pieces[:MAX_EVIDENCE_PIECES] for name, pieces in found.items()}


def answered_for(reading: Reading, talk: DetectorResults, work: MeasureResults) -> ScoresByPlace:
    """The scores of the interactions. The quality of a response falls with how probably it failed the user, or decided the run."""
    quality = dict(work.parts["response_quality"])
    for t, bad in enumerate(talk.turns):
        if bad.is_bad and bad.bad_score is not None:
            part = answering(reading.trace.turns[t])
            lower(quality, (t, part), bad.bad_score, failing(reading, t, part, bad))
    for (t, part), share in work.blame.shares.items():
        if share >= SUSPICION:
            why = f"{share:.0%} likely the mistake that decided the run"
            words = cut(interaction_text(reading.trace.turns[t].agent_interactions[part]))
            lower(quality, (t, part), share, (Evidence(why, words, reading.turn_index(t), part),))
    return {**work.parts, "response_quality": quality}


def failing(reading: Reading, t: int, part: int, bad: ResponseFailure) -> tuple[Evidence, ...]:
    """What a bad answer rests on: the first piece, after the answer itself where that piece is the user's words."""
    first = bad.evidence[:1]
    if part < 0 or any(piece.interaction_index is not None for piece in first):
        return first
    words = cut(reading.trace.turns[t].agent_interactions[part].agent_response or "")
    return Evidence(cut(f"The answer failed the user: {bad.reason}"), words, reading.turn_index(t), part), *first


def lower(
    scores: dict[InteractionIndex, Score], where: InteractionIndex, by: float, evidence: tuple[Evidence, ...]
) -> None:
    """Take a share off one score, where it applies."""
    score = scores.get(where)
    if score is not None and score.value is not None:
        scores[where] = Score(score.value * (1 - by), (*evidence, *score.evidence))


def turn_results(reading: Reading, talk: DetectorResults, parts: ScoresByPlace) -> tuple[TurnResult, ...]:
    return tuple(
        TurnResult(
            turn_index=turn.turn_index,
            is_bad=bad.is_bad,
            detection_type=bad.detection_type,
            confidence=round(bad.confidence, SCORE_DIGITS),
            bad_score=round_score(bad.bad_score),
            reason=bad.reason,
            evidence=bad.evidence[:MAX_EVIDENCE_PIECES],
            signals={name: round_score(found[t].probability) for name, found in talk.signals.items()},
            interactions=tuple(
                interaction_result(act.agent_id, {name: parts[name].get((t, i)) for name in AGENT_WEIGHTS})
                for i, act in enumerate(turn.agent_interactions)
            ),
        )
        for t, (turn, bad) in enumerate(zip(reading.trace.turns, talk.turns, strict=True))
    )


def interaction_results(
    reading: Reading, turns: tuple[TurnResult, ...], issues: list[Issue]
) -> tuple[InteractionScores, ...]:
    """The scores of all interactions in one list, with what was found in their calls."""
    types = defaultdict[tuple[int, int], dict[str, None]](dict)
    for issue in issues:
        types[issue.turn_index, issue.interaction_index][issue.type] = None
    return tuple(
        InteractionScores(
            turn_index=result.turn_index,
            interaction_index=index,
            agent_id=one.agent_id,
            score=one.score,
            tool_use_score=one.tool_use,
            reasoning_score=one.reasoning,
            handoff_score=one.handoff,
            response_quality=one.response_quality,
            latency_ms=act.latency_ms,
            issues=tuple(types[result.turn_index, index]),
        )
        for turn, result in zip(reading.trace.turns, turns, strict=True)
        for index, (act, one) in enumerate(zip(turn.agent_interactions, result.interactions, strict=True))
    )


def interaction_result(agent_id: str, scores: Mapping[str, Score | None]) -> InteractionResult:
    values = {name: None if score is None else score.value for name, score in scores.items()}
    written = {name: round_score(value) for name, value in values.items()}
    evidence = {
        name: score.evidence[:MAX_EVIDENCE_PIECES]
        for name, score in scores.items()
        if score is not None and score.evidence and written[name] != 1
    }
    return InteractionResult(agent_id, round_score(weighted_mean(values, AGENT_WEIGHTS)), **written, evidence=evidence)


def count_turns(turns: list[ResponseFailure]) -> ConversationCounts:
    answered = [turn for turn in turns if turn.bad_score is not None]
    kinds = [bad.detection_type for bad in answered if bad.is_bad]
    by_kind = {f"{kind}_detections": kinds.count(kind) for kind in ("ccm", "rdm", "hallucination", "llm_judge")}
    return ConversationCounts(len(answered), len(answered) - len(kinds), len(kinds), **by_kind)


def sum_agents(
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
