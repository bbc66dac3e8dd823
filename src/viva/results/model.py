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
    second_reading: str | None  # open, stands, changed or ended; None if there is none
    official: bool
    official_reasons: list[str]  # codes of results/official.py; empty if it is official
    agent_owner: str | None  # this and the next three: the agent's profile as of the attempt
    agent_model: str | None
    agent_framework: str | None
    agent_version: str | None
    is_private: bool  # practice that the agent asked for; only the agent and maintainers see it
    voided_at: datetime | None
    void_reason: str | None
    voided_by: str | None


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
    official: bool
    official_reasons: list[str]
    voided_at: datetime | None


class Tally(Struct, frozen=True):
    """How many attempts an evaluation has had, by how many agents, and how many were passed."""

    attempts: int
    agents: int
    passed: int
