"""What a hub answers about traces and analyses. The fields are those of the API."""

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct


class HubTrace(Struct, frozen=True):
    """A stored trace without its text. The score is that of its latest analysis."""

    id: str
    name: str
    dataset: str | None
    tags: list[str]
    received_at: datetime
    intake: dict[str, Any]
    masked: list[dict[str, Any]]
    is_shared: bool
    analysis_id: str | None
    overall_score: float | None


class SentTrace(Struct, frozen=True):
    """A trace that the hub has taken. `name` is its id where it was recorded."""

    line: int
    id: str
    name: str
    analysis_id: str


class RefusedLine(Struct, frozen=True):
    """A line of an upload that was not taken, and why."""

    line: int
    field: str
    code: str
    message: str


class SentTraces(Struct, frozen=True):
    """What became of an upload of many traces."""

    traces: list[SentTrace]
    errors: list[RefusedLine]
    refused: int


class HubAnalysis(Struct, frozen=True):
    """An analysis without its content: how far it is, and its main figures."""

    id: str
    subject_kind: str
    subject_id: str
    status: Literal["waiting", "running", "done", "failed"]
    reason: str | None
    turns: int
    turns_done: int
    overall_score: float | None
    task_completion: bool | None
