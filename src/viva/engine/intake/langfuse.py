"""Reads traces of Langfuse. Its observations are spans with other names."""

from typing import Any

import msgspec

from viva.engine.intake import spans
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.model import Trace

LANGFUSE_SPAN_KINDS = {"GENERATION": "LLM", "TOOL": "TOOL", "AGENT": "AGENT", "RETRIEVER": "RETRIEVER"}
LANGFUSE_NAME_KEYS = {"TOOL": "gen_ai.tool.name", "AGENT": "gen_ai.agent.name"}
LANGFUSE_INPUT_KEYS = {"GENERATION": "gen_ai.input.messages", "TOOL": "gen_ai.tool.call.arguments"}
LANGFUSE_OUTPUT_KEYS = {"GENERATION": "gen_ai.output.messages", "TOOL": "gen_ai.tool.call.result"}


def recognise(document: object) -> bool:
    """Whether this is a trace that contains observations, not only their ids."""
    found = document.get("observations") if isinstance(document, dict) else None
    return isinstance(found, list) and bool(found) and isinstance(found[0], dict)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of an export."""
    if not recognise(document):
        refuse("observations", "missing", "expected a list of observations")
    id = str(document.get("id") or name or "")
    observed = [as_span(part, id) for part in document["observations"] if isinstance(part, dict)]
    opening = {"input.value": document.get("input"), "output.value": document.get("output")}
    start = min((str(span["start_time"]) for span in observed), default="")
    trace = spans.read([make_span("", id, start, start, opening), *observed], name, limits)
    cost = document.get("totalCost")
    return msgspec.structs.replace(trace, total_cost=float(cost)) if is_number(cost) else trace


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def as_span(part: dict[str, Any], trace: str) -> dict[str, Any]:
    """An observation as a span with OpenTelemetry's attributes."""
    kind = str(part.get("type", "")).upper()
    attributes = {
        "openinference.span.kind": LANGFUSE_SPAN_KINDS.get(kind),
        LANGFUSE_NAME_KEYS.get(kind, "name"): part.get("name"),
        LANGFUSE_INPUT_KEYS.get(kind, "input.value"): input_messages(part.get("input"))
        if kind == "GENERATION"
        else part.get("input"),
        LANGFUSE_OUTPUT_KEYS.get(kind, "output.value"): output_messages(part.get("output"))
        if kind == "GENERATION"
        else part.get("output"),
    }
    span = make_span(str(part.get("id", "")), trace, part.get("startTime"), part.get("endTime"), attributes)
    failed = {"status": {"code": 2, "message": part.get("statusMessage")}} if part.get("level") == "ERROR" else {}
    return span | failed | {"parent_id": part.get("parentObservationId")}


def make_span(id: str, trace: str, start: object, end: object, attributes: dict[str, Any]) -> dict[str, Any]:
    known = {key: value for key, value in attributes.items() if value is not None}
    return {"spanId": id, "traceId": trace, "start_time": start, "end_time": end, "attributes": known}


def input_messages(value: object) -> list[Any]:
    """The messages of an input: a list, an object with a list, or the user's text."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        return list(value["messages"])
    if isinstance(value, list):
        return value
    return [{"role": "user", "content": value}] if value else []


def output_messages(value: object) -> list[Any]:
    """The message of an output: an object, the first of a list, or the model's text."""
    if isinstance(value, list):
        return value[:1]
    if isinstance(value, dict) and ("content" in value or "tool_calls" in value):
        return [value]
    return [{"role": "assistant", "content": value}] if value else []
