"""Answers the three questions that a reader has about a run: which agent, which turn, what to change."""

from typing import NamedTuple

from viva.engine.analysis import Analysis, Recommendation
from viva.engine.precision import is_unsure
from viva.engine.wording import DETECTIONS
from viva.reports.words import DECISIVE_MISTAKE, GOOD_SCORE, bad_turns

LIKELY_CONFIDENCE = 0.5  # a decisive mistake below this is less likely than not; a failed answer is read first


class WeakAgent(NamedTuple):
    """The agent with the lowest score. It does not stand out if its score is good."""

    agent_id: str
    score: float
    issues: int
    is_only: bool

    @property
    def stands_out(self) -> bool:
        return self.score < GOOD_SCORE


class DecisiveTurn(NamedTuple):
    """The turn to read first: that of a likely decisive mistake, or else of the answer that most surely failed."""

    turn_index: int
    interaction_index: int | None
    agent_id: str | None
    is_mistake: bool
    reason: str
    confidence: float
    is_unsure: bool


class RunAnswers(NamedTuple):
    """None where there is nothing to say."""

    agent: WeakAgent | None
    turn: DecisiveTurn | None
    change: Recommendation | None


def answer_questions(analysis: Analysis) -> RunAnswers:
    advice = analysis.recommendations
    return RunAnswers(find_weakest_agent(analysis), find_decisive_turn(analysis), advice[0] if advice else None)


def find_weakest_agent(analysis: Analysis) -> WeakAgent | None:
    scores = {name: agent for name, agent in analysis.per_agent_scores.items() if agent.overall is not None}
    if not scores:
        return None
    name = min(scores, key=lambda agent_id: scores[agent_id].overall or 0.0)
    return WeakAgent(name, scores[name].overall or 0.0, len(scores[name].issues), len(scores) == 1)


def find_decisive_turn(analysis: Analysis) -> DecisiveTurn | None:
    blamed = analysis.failure_attribution
    failed = bad_turns(analysis)
    if blamed and (blamed.confidence >= LIKELY_CONFIDENCE or not failed):
        return DecisiveTurn(
            turn_index=blamed.turn_index,
            interaction_index=blamed.interaction_index,
            agent_id=blamed.agent_id,
            is_mistake=True,
            reason=blamed.reason.removeprefix(f"{blamed.agent_id} "),  # readers name the agent before it
            confidence=blamed.confidence,
            is_unsure=is_unsure(DECISIVE_MISTAKE),
        )
    if not failed:
        return None
    turn = failed[0]
    reason = f"{DETECTIONS[turn.detection_type].label}: {turn.reason}"
    return DecisiveTurn(turn.turn_index, None, None, False, reason, turn.confidence, is_unsure(turn.detection_type))
