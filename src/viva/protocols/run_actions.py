"""Actions with recorded runs: analyse one, send one to be kept, read its analysis."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct

from viva.client.client import AsyncClient
from viva.protocols.action import ADDS, READS, ShortText, action

MAX_SHOWN_FINDINGS = 20
MAX_RUN_TAGS = 20
RecordedDocument = Annotated[
    dict[str, Any] | list[Any],
    Meta(
        description=(
            "The run as JSON: chat messages with roles and tool calls, spans of OpenTelemetry, or another form that Viva "
            "reads."
        )
    ),
]


class AnalysisAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found in a run. Scores are from 0 to 1; what does not apply is left out. The first findings are shown."""

    status: str
    overall_score: float | None = None
    task_completion: bool | None = None
    conversation_score: float | None = None
    tool_use_score: float | None = None
    coordination_score: float | None = None
    reasoning_score: float | None = None
    intent_drift_score: float | None = None
    bad_turns: list[dict[str, Any]] = []
    issues: list[dict[str, Any]] = []
    recommendations: list[dict[str, Any]] = []
    failure_attribution: dict[str, Any] | None = None
    reason: str | None = None


SCORE_FIELDS = (
    "overall_score task_completion conversation_score tool_use_score coordination_score reasoning_score"
    " intent_drift_score failure_attribution"
).split()
TURN_FIELDS = ("turn_index", "detection_type", "confidence", "reason")


def describe_analysis(status: str, found: dict[str, Any]) -> AnalysisAnswer:
    bad = [turn for turn in found.get("turn_results") or [] if turn.get("is_bad")]
    return AnalysisAnswer(
        status=status,
        **{name: found.get(name) for name in SCORE_FIELDS},
        bad_turns=[{name: turn.get(name) for name in TURN_FIELDS} for turn in bad[:MAX_SHOWN_FINDINGS]],
        issues=(found.get("issues") or [])[:MAX_SHOWN_FINDINGS],
        recommendations=(found.get("recommendations") or [])[:MAX_SHOWN_FINDINGS],
        reason=found.get("reason"),
    )


class RunGiven(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    run: RecordedDocument
    fast: bool = False


@action("Analyse a run", READS)
async def analyze_run(hub: AsyncClient, given: RunGiven) -> AnalysisAnswer:
    """Analyse a recorded run of an agent and tell what went wrong in it. Nothing is stored."""
    return describe_analysis(
        "done", await hub.analyses.analyze(msgspec.json.encode(given.run), fast=given.fast or None)
    )


class TraceGiven(RunGiven, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dataset: ShortText | None = None
    tags: Annotated[list[ShortText], Meta(max_length=MAX_RUN_TAGS)] = []


class TraceAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The stored trace. `read_analysis` shows what was found once it is analysed."""

    id: str
    name: str
    analysis_id: str


@action("Send a trace", ADDS)
async def send_trace(hub: AsyncClient, given: TraceGiven) -> TraceAnswer:
    """Store a recorded run in your account and have it analysed in the background."""
    sent = await hub.send(given.run, dataset=given.dataset, tags=given.tags, fast=given.fast)
    return TraceAnswer(id=sent.id, name=sent.name, analysis_id=sent.analysis_id)


class AnalysisChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    analysis_id: ShortText


@action("Read an analysis", READS)
async def read_analysis(hub: AsyncClient, given: AnalysisChoice) -> AnalysisAnswer:
    """Read the analysis of a trace that you have sent. Its `status` is waiting, running, done or failed."""
    found = await hub.analyses.show_analysis(given.analysis_id)
    fields = {name: getattr(found, name) for name in found.__struct_fields__}
    return describe_analysis(found.status, {name: value for name, value in fields.items() if value is not UNSET})
