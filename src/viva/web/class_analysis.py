"""The engine's analysis of a class, in the form that the page shows."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from viva.engine.precision import mark_unsure
from viva.engine.wording import COORDINATION_CASES


class Piece(Struct, frozen=True):
    """One piece of evidence: the explanation and the quoted words."""

    why: str
    quote: str | None = None


class Ratio(Struct, frozen=True):
    value: float | None = None


class ClassCoordination(Struct, frozen=True):
    score: Ratio = Ratio()
    duplicate_work: list[Piece] = []
    context_lost: list[Piece] = []
    role_breaches: list[Piece] = []
    contradictions: list[Piece] = []
    ping_pong: list[Piece] = []
    deadlock: list[Piece] = []


class AgentScore(Struct, frozen=True):
    overall: float | None = None
    recommendations: list[str] = []


class StoredClassAnalysis(Struct, frozen=True):
    """The part of a stored analysis that the page shows."""

    coordination: ClassCoordination = ClassCoordination()
    per_agent_scores: dict[str, AgentScore] = {}


class CoordinationCase(NamedTuple):
    kind: str
    pieces: list[Piece]


class Advice(NamedTuple):
    name: str
    texts: list[str]


class ClassAnalysis(NamedTuple):
    """The coordination score, its cases, and the score and recommendations of each agent."""

    together: float | None
    cases: list[CoordinationCase]
    scores: dict[str, float]
    advice: list[Advice]


def read_class_analysis(analysis: dict[str, Any] | None, names: Mapping[str, str]) -> ClassAnalysis | None:
    """None if there is no analysis, or if an older version stored it in another form."""
    try:
        stored = msgspec.convert(analysis, StoredClassAnalysis | None)
    except msgspec.ValidationError:
        return None
    if stored is None:
        return None
    cases = [
        CoordinationCase(mark_unsure(kind, title), getattr(stored.coordination, kind))
        for kind, title in COORDINATION_CASES.items()
    ]
    scores = {agent_id: score for agent_id, score in stored.per_agent_scores.items() if agent_id in names}
    return ClassAnalysis(
        together=stored.coordination.score.value,
        cases=[case for case in cases if case.pieces],
        scores={agent_id: score.overall for agent_id, score in scores.items() if score.overall is not None},
        advice=[
            Advice(names[agent_id], score.recommendations)
            for agent_id, score in scores.items()
            if score.recommendations
        ],
    )
