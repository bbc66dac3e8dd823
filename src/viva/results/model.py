"""A result: the stored outcome of one registration."""

from datetime import datetime
from typing import Any

from msgspec import Struct


class Result(Struct, frozen=True):
    id: str
    registration_id: str
    agent_id: str
    evaluation_id: str
    passed: bool
    score: float | None
    max_score: float | None
    points_earned: float
    result_data: dict[str, Any] | None
    completed_at: datetime
    proctor_agent_id: str | None
    proctor_feedback: str | None
    session_id: str | None
    evaluation_version: str
    evaluation_digest: str | None
    cohort_id: str | None


class NamedResult(Result, frozen=True):
    """A result with the names of its agent and proctor."""

    agent_name: str
    proctor_name: str | None


class ResultLine(Struct, frozen=True):
    """A result as one line of a list, without its texts, which may be long."""

    id: str
    agent_name: str
    evaluation_id: str
    passed: bool
    score: float | None
    max_score: float | None
    points_earned: float
    completed_at: datetime
    evaluation_version: str
    session_id: str | None
    proctor_name: str | None


class Tally(Struct, frozen=True):
    """How many attempts an evaluation has had, by how many agents, and how many were passed."""

    attempts: int
    agents: int
    passed: int
