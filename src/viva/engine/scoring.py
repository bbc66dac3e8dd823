"""Scores are ratios from 0 to 1. A part that does not apply (None) gives its weight to the others."""

from collections.abc import Iterable, Mapping

SESSION_WEIGHTS = {
    "conversation": 0.30,
    "tool_use": 0.25,
    "coordination": 0.20,
    "reasoning": 0.15,
    "on_task": 0.10,  # 1 - intent drift
}
AGENT_WEIGHTS = {"tool_use": 0.35, "reasoning": 0.25, "handoff": 0.20, "response_quality": 0.20}

SCORE_DIGITS = 4  # digits of a printed score; more would claim a precision that no score has


def weighted_mean(scores: Mapping[str, float | None], weights: Mapping[str, float]) -> float | None:
    """The weighted mean of the scores that are not None; None if there are none."""
    total = value = 0.0
    for name, score in scores.items():
        if score is not None:
            total += weights[name]
            value += weights[name] * score
    return value / total if total else None


def average(scores: Iterable[float | None]) -> float | None:
    """The mean of the scores that are not None; None if there are none."""
    present = [score for score in scores if score is not None]
    return sum(present) / len(present) if present else None


def share(name: str, scores: Mapping[str, float | None], weights: Mapping[str, float]) -> float:
    """How much the weighted mean would rise if this score were 1."""
    score = scores[name]
    total = sum(weights[other] for other, value in scores.items() if value is not None)
    return 0.0 if score is None or total == 0 else weights[name] * (1 - score) / total


def round_score(score: float | None) -> float | None:
    return None if score is None else round(score, SCORE_DIGITS)
