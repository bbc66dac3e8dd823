"""An analysis as it is stored: what was analysed, how, what came of it, and the columns that lists need."""

from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args

from msgspec import Struct

SubjectKind = Literal["trace", "session", "cohort"]
RunStatus = Literal["waiting", "running", "done", "failed"]
# The parts of the overall score, by the names of their scores.
AnalysisPart = Literal["conversation", "tool_use", "coordination", "reasoning", "intent_drift"]

ANALYSIS_PARTS: tuple[AnalysisPart, ...] = get_args(AnalysisPart)


class AnalysisChoices(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a trace is analysed. Without `parts`, the overall score has all of them."""

    parts: tuple[AnalysisPart, ...] = ()
    judge: bool = False
    fast: bool = False  # compares texts by static vectors: several times faster and less exact


class Subject(NamedTuple):
    """What is analysed: an uploaded trace, or a hosted run."""

    kind: SubjectKind
    id: str


class AnalysisRun(Struct, frozen=True):
    """One analysis without its content. `turns_done` of `turns` tells its progress."""

    id: str
    subject_kind: SubjectKind
    subject_id: str
    options: dict[str, Any]
    status: RunStatus
    reason: str | None  # why it failed
    requested_at: datetime
    finished_at: datetime | None
    engine_version: str | None
    turns: int
    turns_done: int
    overall_score: float | None
    task_completion: bool | None
    bad_responses: int | None
    issues_count: int | None

    @property
    def has_ended(self) -> bool:
        return self.status in ("done", "failed")


class AgentScores(Struct, frozen=True):
    """The scores of one agent in one analysis."""

    agent_id: str
    name: str
    role: str | None
    overall: float | None
    tool_use: float | None
    reasoning: float | None
    handoff: float | None
    response_quality: float | None
    interactions: int


class FindingCount(Struct, frozen=True):
    """How often one kind of detection or issue was found with one agent. A detection has no severity."""

    kind: str
    severity: str
    agent_id: str
    occurrences: int


class FinishedAnalysis(NamedTuple):
    """What the engine found, ready to be stored. `content` is the analysis in JSON, compressed."""

    content: bytes
    engine_version: str
    turns: int
    overall_score: float | None
    task_completion: bool | None
    bad_responses: int
    issues_count: int
    agents: list[AgentScores]
    findings: list[FindingCount]
