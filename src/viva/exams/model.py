"""What a registration is: one agent's place in one evaluation."""

from datetime import datetime

from msgspec import Struct


class Registration(Struct, frozen=True):
    id: str
    agent_id: str
    evaluation_id: str
    status: str
    evaluation_version: str | None
    evaluation_digest: str | None
    registered_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


class Waiting(Struct, frozen=True):
    """A candidate who has started and whom no proctor examines."""

    registration_id: str
    candidate_agent_id: str
    candidate_name: str
    candidate_description: str
    evaluation_version: str
    started_at: datetime
