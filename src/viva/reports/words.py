"""The words reports share: scores, places and detections as a person reads them."""

from viva.engine.analysis import Analysis
from viva.engine.evidence import Evidence
from viva.engine.recommending import ADVICE_SCORE

GOOD, FAIR = 0.85, ADVICE_SCORE  # where advice begins, a score is no longer fair
LOWER_IS_BETTER = frozenset({"intent_drift_score"})
SESSION_SCORES = {
    "overall_score": "Overall",
    "conversation_score": "Conversation",
    "tool_use_score": "Tool use",
    "coordination_score": "Coordination",
    "reasoning_score": "Reasoning",
    "intent_drift_score": "Intent drift",
    "task_completion_score": "Task completion",
}
AGENT_SCORES = {
    "overall": "Overall",
    "tool_use": "Tool use",
    "reasoning": "Reasoning",
    "handoff": "Handoff",
    "response_quality": "Response",
    "self_correction": "Self-correction",
}


def score(value: float | None) -> str:
    """A score as two digits; a dash where it does not apply."""
    return "–" if value is None else f"{value:.2f}"


def tone(value: float | None, name: str = "") -> str:
    """How a score sounds: good, fair or bad, none where it does not apply; `name` tells which way is up."""
    if value is None:
        return "none"
    worth = 1 - value if name in LOWER_IS_BETTER else value
    return "good" if worth >= GOOD else "fair" if worth >= FAIR else "bad"


def place(evidence: Evidence) -> str:
    """Where evidence stands, counted from 1 as people do."""
    parts = {"turn": evidence.turn_index, "part": evidence.interaction_index, "step": evidence.step_index}
    return ", ".join(f"{name} {index + 1}" for name, index in parts.items() if index is not None)


def outcome(analysis: Analysis) -> str:
    """Whether the goal was reached, in words as sure as the number."""
    if analysis.task_completion is None:
        return "not known whether the goal was reached"
    sure = max(analysis.task_completion_score or 0, 1 - (analysis.task_completion_score or 0))
    verb = "was" if sure > 0.9 else "was probably" if sure > 0.65 else "was perhaps"
    return f"the goal {verb}{'' if analysis.task_completion else ' not'} reached"


def printable(text: str) -> str:
    """Strangers' words without what a terminal would obey or what would turn a line around."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
