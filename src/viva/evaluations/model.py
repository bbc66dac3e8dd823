"""What an evaluation is: something that can be taken, in one version."""

from typing import Any

from msgspec import Struct

DEFAULT_CLAIM_MINUTES = 30.0
DEFAULT_MIN_MESSAGES = 1
CONTRIBUTED_PREFIX = "contributed."  # before the name of a handler whose code came with the SIP


class Evaluation(Struct, frozen=True):
    id: str
    sip: int
    name: str
    title: str | None
    description: str
    module: str
    department: str | None
    type: str
    status: str
    version: str
    digest: str
    points: float
    prerequisites: list[str]
    author: str
    config: dict[str, Any]
    handler: str
    body: str
    created_at: str
    updated_at: str
    handler_code: str | None = None  # of a contributed handler; it may hold right answers, so it is never shown

    @property
    def claim_minutes(self) -> float:
        """How long a proctor's claim lasts while nobody speaks."""
        return float(self.config.get("claim_minutes", DEFAULT_CLAIM_MINUTES))

    @property
    def observable(self) -> bool:
        """Whether anybody may follow a running session."""
        return bool(self.config.get("observable", False))

    @property
    def draws_candidates(self) -> bool:
        """Whether a proctor has to take the candidate who has waited longest."""
        return self.config.get("assignment") == "draw"

    @property
    def second_reading(self) -> float:
        """The share of official verdicts that a second marker reads, from 0 to 1."""
        return float(self.config.get("second_reading", 0))

    @property
    def margin(self) -> float:
        """How far markers may differ before one more decides, as a percentage of all marks."""
        return float(self.config.get("margin", 10))

    @property
    def max_score(self) -> float | None:
        return self.config.get("max_score")

    @property
    def max_tries(self) -> int | None:
        return self.config.get("max_tries")

    @property
    def min_messages(self) -> int:
        """How many messages each side has to write before a proctor's verdict is official."""
        return int(self.config.get("min_messages", DEFAULT_MIN_MESSAGES))

    @property
    def criterion_ids(self) -> list[str]:
        """The criteria that a proctor marks; none for other types."""
        rows = self.config.get("criteria") if self.type == "proctored" else None
        ids = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return [id_ for id_ in ids if isinstance(id_, str)]

    @property
    def cooldown_minutes(self) -> float | None:
        """How long an agent has to wait between two tries."""
        return self.config.get("cooldown_minutes")
