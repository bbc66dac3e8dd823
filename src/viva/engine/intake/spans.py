"""Reads runs recorded as spans, by OpenTelemetry's GenAI conventions or OpenInference."""

from typing import Any

from viva.engine.intake.building import make_trace
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.playing import Player, kind
from viva.engine.intake.span import spans
from viva.engine.model import Trace

NANOSECONDS_PER_MILLISECOND = 1_000_000


def recognise(document: object) -> bool:
    """Whether this is an export of spans, or a list of them."""
    if isinstance(document, dict):
        return isinstance(document.get("resourceSpans", document.get("resource_spans")), list)
    first = document[0] if isinstance(document, list) and document else None
    return (
        isinstance(first, dict)
        and "attributes" in first
        and any(key in first for key in ("spanId", "span_id", "context"))
    )


def is_export(raw: bytes) -> bool:
    """Whether a line begins like an exporter's batch."""
    return raw.lstrip().startswith((b'{"resourceSpans"', b'{"resource_spans"'))


def merge_batches(batches: list[Any]) -> list[Any]:
    """The spans of several exports in one list."""
    return [span.source for batch in batches for span in spans(batch)]


def parts(document: Any) -> list[Any]:
    """The spans of each trace as a separate list."""
    traces: dict[str, list[Any]] = {}
    for span in spans(document):
        traces.setdefault(span.trace, []).append(span.source)
    return list(traces.values()) or [document]


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the spans of one run."""
    ordered = sorted(spans(document), key=lambda span: (span.start, -span.end))
    if len(ordered) > limits.messages:
        refuse("", "too_many", f"has {len(ordered):,} spans; at most {limits.messages:,} are read")
    if not any(map(kind, ordered)):
        refuse("", "empty", "has no span of a model, a tool or an agent")
    run = Player(ordered)
    run.play()
    about = {
        "id": ordered[0].trace or None,
        "agents": run.agents(),
        "total_latency_ms": (max(span.end for span in ordered) - ordered[0].start) / NANOSECONDS_PER_MILLISECOND,
    }
    return make_trace(run.conversation, about, name, limits)
