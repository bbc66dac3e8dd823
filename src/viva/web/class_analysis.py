"""What the engine found in a class, as its page tells it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from viva.engine.wording import COORDINATION_CASES


class Piece(Struct, frozen=True):
    """Why the engine thinks so, and the words that it rests on."""

    why: str
    quote: str | None = None


class Ratio(Struct, frozen=True):
    value: float | None = None


class ClassCoordination(Struct, frozen=True):
    score: Ratio = Ratio()
    duplicate_work: list[Piece] = []
    context_lost: list[Piece] = []
    role_breaches: list[Piece] = []
    ping_pong: list[Piece] = []
    deadlock: list[Piece] = []


class AgentScore(Struct, frozen=True):
    overall: float | None = None
    recommendations: list[str] = []


class StoredClassAnalysis(Struct, frozen=True):
    """The part of a kept analysis that is shown."""

    coordination: ClassCoordination = ClassCoordination()
    per_agent_scores: dict[str, AgentScore] = {}


class CoordinationCase(NamedTuple):
    kind: str
    pieces: list[Piece]


class Advice(NamedTuple):
    name: str
    texts: list[str]


class ClassAnalysis(NamedTuple):
    """How they worked together, from 0 to 1 or None; how each answered, by agent; what each could do better."""

    together: float | None
    cases: list[CoordinationCase]
    scores: dict[str, float]
    advice: list[Advice]


def read_class_analysis(analysis: dict[str, Any] | None, names: Mapping[str, str]) -> ClassAnalysis | None:
    """None where there is no analysis, or one that an older hub wrote otherwise."""
    try:
        kept = msgspec.convert(analysis, StoredClassAnalysis | None)
    except msgspec.ValidationError:
        return None
    if kept is None:
        return None
    cases = [CoordinationCase(title, getattr(kept.coordination, kind)) for kind, title in COORDINATION_CASES.items()]
    each = {agent_id: score for agent_id, score in kept.per_agent_scores.items() if agent_id in names}
    return ClassAnalysis(
        together=kept.coordination.score.value,
        cases=[case for case in cases if case.pieces],
        scores={agent_id: score.overall for agent_id, score in each.items() if score.overall is not None},
        advice=[
            Advice(names[agent_id], score.recommendations) for agent_id, score in each.items() if score.recommendations
        ],
    )
