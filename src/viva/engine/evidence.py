"""Evidence with its place, and the findings that it supports: scores, signals, issues, attributions, coordination, trajectory."""

from collections.abc import Iterable
from typing import Literal

import msgspec

Severity = Literal["HIGH", "MEDIUM", "LOW"]
DetectionType = Literal["rdm", "ccm", "hallucination", "llm_judge", "none"]
Course = Literal["optimal", "circular", "regression", "stall", "recovery", "drift"]
InteractionIndex = tuple[int, int]  # position of a turn, position of an interaction in it
MAX_QUOTE_CHARACTERS = 240  # enough to recognise the place, short enough to print
MAX_QUOTE_SPACES = 60  # extra characters that are read, because runs of spaces become one space
MAX_EVIDENCE_PIECES = 5  # for one number; a person reads no more


class Evidence(msgspec.Struct, frozen=True):
    """A quote from the trace that supports a number, its place, and why it counts."""

    why: str
    quote: str = ""
    turn_index: int | None = None
    interaction_index: int | None = None
    step_index: int | None = None


class Score(msgspec.Struct, frozen=True):
    """A ratio with its evidence. A value below 1 always has evidence."""

    value: float | None = None
    evidence: tuple[Evidence, ...] = ()


class Signal(msgspec.Struct, frozen=True):
    """A detector's result for one turn: the probability that the answer failed."""

    probability: float | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()


class Issue(msgspec.Struct, frozen=True):
    """One fault with its place. `confidence` is the probability that it is one."""

    type: str
    severity: Severity
    agent_id: str
    turn_index: int
    interaction_index: int
    step_index: int | None
    message: str
    evidence: str
    confidence: float = 1.0


class Attribution(msgspec.Struct, frozen=True):
    """The decisive mistake of a failed run. Without it the run would have succeeded."""

    agent_id: str
    turn_index: int
    interaction_index: int
    confidence: float
    reason: str
    evidence: tuple[Evidence, ...] = ()


def worst(scores: Iterable[Score]) -> tuple[Evidence, ...]:
    """The evidence of the lowest scores, the lowest first."""
    low = [score for score in scores if score.value is not None and score.evidence]
    low.sort(key=lambda score: score.value or 0.0)
    return tuple(piece for score in low[:MAX_EVIDENCE_PIECES] for piece in score.evidence)[:MAX_EVIDENCE_PIECES]


def cut(text: str, length: int = MAX_QUOTE_CHARACTERS) -> str:
    """The beginning of a text as a quote on one line."""
    line = " ".join(text[: length + MAX_QUOTE_SPACES].split())
    if len(line) <= length < len(text):
        line = " ".join(text[: length * 4].split())
    return line if len(line) <= length else line[: length - 1] + "…"


class Coordination(msgspec.Struct, frozen=True):
    """How the agents worked together; each tuple says where they probably did not. A single agent has no score."""

    score: Score = Score()
    duplicate_work: tuple[Evidence, ...] = ()
    context_lost: tuple[Evidence, ...] = ()
    role_breaches: tuple[Evidence, ...] = ()
    contradictions: tuple[Evidence, ...] = ()
    ping_pong: tuple[Evidence, ...] = ()
    deadlock: tuple[Evidence, ...] = ()


class Loop(msgspec.Struct, frozen=True):
    """A move that was made again with nothing new: where, what, and the place of the first."""

    turn_index: int
    interaction_index: int
    step_index: int | None
    first_turn_index: int
    first_interaction_index: int
    what: str


class Trajectory(msgspec.Struct, frozen=True):
    """The course of a run. Efficiency is the share of moves that were useful; None when nothing was done."""

    signal: Course
    efficiency: float | None = None
    loops: tuple[Loop, ...] = ()
    retries: int = 0
    evidence: tuple[Evidence, ...] = ()
