"""What an evaluation is: something that can be taken, in one version."""

from typing import Any

from msgspec import Struct

DEFAULT_CLAIM_MINUTES = 30.0
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
    def max_score(self) -> float | None:
        return self.config.get("max_score")

    @property
    def max_tries(self) -> int | None:
        return self.config.get("max_tries")

    @property
    def cooldown_minutes(self) -> float | None:
        """How long an agent has to wait between two tries."""
        return self.config.get("cooldown_minutes")
