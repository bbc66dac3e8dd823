"""An analysis: everything the engine found in one trace. Scores are ratios from 0 to 1; None means "does not apply"."""

from typing import NamedTuple

import msgspec

from viva.engine.evidence import Attribution, Coordination, DetectionType, Evidence, Issue, Trajectory
from viva.engine.intake.faults import BadTrace
from viva.engine.measures.spending import Cost, Latency
from viva.engine.model import DroppedPart

ENGINE_VERSION = "1.0.0"


class InteractionResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """How one agent did in one turn. `evidence` supports each score below 1; it is left out if empty."""

    agent_id: str
    score: float | None
    tool_use: float | None
    reasoning: float | None
    handoff: float | None
    response_quality: float | None
    evidence: dict[str, tuple[Evidence, ...]] = {}


class TurnResult(msgspec.Struct, frozen=True):
    """Whether the answer of one turn failed the user and how, and the result of each agent."""

    turn_index: int
    is_bad: bool
    detection_type: DetectionType
    confidence: float
    bad_score: float | None
    reason: str
    evidence: tuple[Evidence, ...]
    signals: dict[str, float | None]
    interactions: tuple[InteractionResult, ...]


class InteractionScores(msgspec.Struct, frozen=True):
    """The scores of one interaction, and the types of the issues found in its calls."""

    turn_index: int
    interaction_index: int
    agent_id: str
    score: float | None
    tool_use_score: float | None
    reasoning_score: float | None
    handoff_score: float | None
    response_quality: float | None
    latency_ms: float | None
    issues: tuple[str, ...]


class AgentResult(msgspec.Struct, frozen=True):
    """How one agent did over the whole run."""

    overall: float | None
    tool_use: float | None
    reasoning: float | None
    handoff: float | None
    response_quality: float | None
    self_correction: float | None
    interactions_count: int
    latency_ms: float | None
    issues: tuple[str, ...]
    recommendations: tuple[str, ...]
    evidence: dict[str, tuple[Evidence, ...]]


class Recommendation(msgspec.Struct, frozen=True):
    """Advice, its reason, and how much it could raise its score."""

    agent_id: str | None
    text: str
    because: str
    impact: float


class ConversationCounts(msgspec.Struct, frozen=True):
    """The numbers of good and bad turns."""

    total_responses: int
    good_responses: int
    bad_responses: int
    ccm_detections: int
    rdm_detections: int
    hallucination_detections: int
    llm_judge_detections: int


class JudgeUse(msgspec.Struct, frozen=True):
    """What a judge cost for this trace, how many answers it was asked about, and how many it left unscored."""

    model: str
    calls: int
    tokens: int
    asked: int
    unscored: int


class IntakeSummary(msgspec.Struct, frozen=True):
    """What was understood of the input: its format, how many of each part were read, and what was not."""

    form: str
    version: str | None
    agents: int
    turns: int
    interactions: int
    calls: int
    dropped: tuple[DroppedPart, ...] = ()


class Analysis(msgspec.Struct, frozen=True):
    """Everything found in one trace."""

    id: str
    overall_score: float | None
    conversation_score: float | None
    tool_use_score: float | None
    coordination_score: float | None
    reasoning_score: float | None
    intent_drift_score: float | None
    task_completion: bool | None
    task_completion_score: float | None
    failure_attribution: Attribution | None
    per_agent_scores: dict[str, AgentResult]
    turn_results: tuple[TurnResult, ...]
    interaction_results: tuple[InteractionScores, ...]
    issues: tuple[Issue, ...]
    trajectory: Trajectory
    coordination: Coordination
    latency: Latency | None
    cost: Cost | None
    conversation: ConversationCounts
    recommendations: tuple[Recommendation, ...]
    evidence: dict[str, tuple[Evidence, ...]]
    intake: IntakeSummary
    engine_version: str = ENGINE_VERSION
    judge: JudgeUse | None = None


def leave_out_unsure(analysis: Analysis, min_confidence: float) -> Analysis:
    """The analysis without issues and an attribution below this confidence. Scores and turns stay as they are."""
    blamed = analysis.failure_attribution
    return msgspec.structs.replace(
        analysis,
        issues=tuple(issue for issue in analysis.issues if issue.confidence >= min_confidence),
        failure_attribution=blamed if blamed and blamed.confidence >= min_confidence else None,
    )


class Analysed(NamedTuple):
    """One trace's analysis as JSON, or its fault. `size` is its number of bytes in the file."""

    size: int
    analysis: bytes = b""
    fault: BadTrace | None = None
