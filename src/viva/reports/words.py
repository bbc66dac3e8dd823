"""Wording that reports share: scores, places and outcomes for people."""

from viva.engine.analysis import Analysis, TurnResult
from viva.engine.evidence import Course, Evidence, Issue
from viva.engine.precision import UNSURE, is_unsure
from viva.engine.recommending import ADVICE_SCORE, SEVERITY_WEIGHTS

GOOD_SCORE, FAIR_SCORE = 0.85, ADVICE_SCORE  # below ADVICE_SCORE a recommendation is given
DECISIVE_MISTAKE = "failure_attribution"  # its kind, beside the kinds of detections and issues
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
# A course says nothing about the goal: a run that missed it may be "optimal", so that people read another word.
COURSES: dict[Course, str] = {
    "optimal": "straight",
    "circular": "in circles",
    "regression": "with steps back",
    "stall": "standing still",
    "recovery": "recovered",
    "drift": "adrift",
}


def score(value: float | None) -> str:
    """A score with two decimals, or a dash if it does not apply."""
    return "–" if value is None else f"{value:.2f}"


def tone(value: float | None, name: str = "") -> str:
    """The class of a score: good, fair, bad, or none if it does not apply. Of some names, lower scores are better."""
    if value is None:
        return "none"
    quality = 1 - value if name in LOWER_IS_BETTER else value
    return "good" if quality >= GOOD_SCORE else "fair" if quality >= FAIR_SCORE else "bad"


def place(evidence: Evidence) -> str:
    """The place of a piece of evidence, counted from 1."""
    parts = {"turn": evidence.turn_index, "part": evidence.interaction_index, "step": evidence.step_index}
    return ", ".join(f"{name} {index + 1}" for name, index in parts.items() if index is not None)


def outcome(analysis: Analysis) -> str:
    """Whether the goal was reached, with a word for the certainty."""
    if analysis.task_completion is None:
        return "it is unknown whether the goal was reached"
    certainty = max(analysis.task_completion_score or 0, 1 - (analysis.task_completion_score or 0))
    verb = "was" if certainty > 0.9 else "was probably" if certainty > 0.65 else "was perhaps"
    return f"the goal {verb}{'' if analysis.task_completion else ' not'} reached"


def intake(analysis: Analysis) -> str:
    """What was read of the recording, and what was not."""
    read = analysis.intake
    form = f"{read.form} ({read.version})" if read.version else read.form
    counts = {"agent": read.agents, "turn": read.turns, "part": read.interactions, "call": read.calls}
    counted = ", ".join(f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items())
    if not read.dropped:
        return f"Read as {form}: {counted}"
    first, more = read.dropped[0], len(read.dropped) - 1
    return f"Read as {form}: {counted}. Not read: {first.path} {first.why}{f' (and {more:,} more)' if more else ''}"


def bad_turns(analysis: Analysis, min_confidence: float = 0.0) -> list[TurnResult]:
    """The turns whose answer failed the user, the surest first."""
    found = [turn for turn in analysis.turn_results if turn.is_bad and turn.confidence >= min_confidence]
    return sorted(found, key=lambda turn: -turn.confidence)


def ranked_issues(analysis: Analysis) -> list[Issue]:
    """The issues, the surest first; among equals the most severe."""
    return sorted(analysis.issues, key=lambda issue: (-issue.confidence, -SEVERITY_WEIGHTS[issue.severity]))


def sureness(kind: str, confidence: float) -> str:
    """The confidence of a finding, with a word of warning for a kind that was often wrong."""
    return f"{confidence:.2f}, {UNSURE}" if is_unsure(kind) else f"{confidence:.2f}"


def printable(text: str) -> str:
    """Text from outside, without characters that control a terminal or the direction of text."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
