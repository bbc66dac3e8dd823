"""An analysis: what the engine found in one trace. Scores are ratios 0-1; None does not apply."""

from typing import Literal

import msgspec

Severity = Literal["high", "medium", "low"]
DetectionType = Literal["rdm", "ccm", "hallucination", "llm_judge", "none"]
Where = tuple[int, int]  # position of a turn, position of an interaction in it
QUOTE = 240  # characters of evidence: enough to recognise the place, small enough to print


class Evidence(msgspec.Struct, frozen=True):
    """Words of the trace that a number rests on, where they stand, and why they count."""

    why: str
    quote: str = ""
    turn_index: int | None = None
    interaction_index: int | None = None
    step_index: int | None = None


class Score(msgspec.Struct, frozen=True):
    """A ratio with what it rests on. A value below 1 has evidence."""

    value: float | None = None
    evidence: tuple[Evidence, ...] = ()


class Signal(msgspec.Struct, frozen=True):
    """A detector's answer about one turn: the probability that the answer failed in its way."""

    probability: float | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


class Issue(msgspec.Struct, frozen=True):
    """One fault with its place."""

    type: str
    severity: Severity
    agent_id: str
    turn_index: int
    interaction_index: int
    step_index: int | None
    message: str
    evidence: str


class Attribution(msgspec.Struct, frozen=True):
    """The decisive mistake of a run that failed: the one that, had it been right, would have saved it."""

    agent_id: str
    turn_index: int
    interaction_index: int
    confidence: float
    reason: str
    evidence: tuple[Evidence, ...] = ()


def cut(text: str, length: int = QUOTE) -> str:
    """The beginning of a text, as a quotation on one line."""
    line = " ".join(text[: length * 4].split())
    return line if len(line) <= length else line[: length - 1] + "…"
