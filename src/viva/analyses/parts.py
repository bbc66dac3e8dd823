"""An analysis limited to some parts of the overall score. The other scores become None and count for nothing."""

from typing import Any

import msgspec

from viva.analyses.model import AnalysisPart
from viva.engine.analysis import Analysis
from viva.engine.scoring import SESSION_WEIGHTS, round_score, weighted_mean

# The name of each part in the table of weights.
WEIGHT_NAMES: dict[AnalysisPart, str] = {
    "conversation": "conversation",
    "tool_use": "tool_use",
    "coordination": "coordination",
    "reasoning": "reasoning",
    "intent_drift": "on_task",
}


def choose_parts(analysis: Analysis, parts: tuple[AnalysisPart, ...]) -> Analysis:
    """The analysis with only these parts of the overall score; with all of them if none is named."""
    if not parts:
        return analysis
    scores = {part: getattr(analysis, f"{part}_score") if part in parts else None for part in WEIGHT_NAMES}
    weighed = {WEIGHT_NAMES[part]: score for part, score in scores.items()}
    if weighed["on_task"] is not None:
        weighed["on_task"] = 1 - weighed["on_task"]
    chosen: dict[str, Any] = {f"{part}_score": score for part, score in scores.items()}
    overall = round_score(weighted_mean(weighed, SESSION_WEIGHTS))
    return msgspec.structs.replace(analysis, overall_score=overall, **chosen)
