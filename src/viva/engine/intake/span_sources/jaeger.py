"""Reads what Jaeger's API and its user interface give as JSON: spans with tags, logs and references."""

from typing import Any

from viva.engine.intake.span import entries

NANOSECONDS_PER_MICROSECOND = 1_000
FAILED_TAG, STATUS_TAG, MESSAGE_TAG = "error", "otel.status_code", "otel.status_description"


def recognise(document: object) -> bool:
    """Whether this is a trace of Jaeger, or an answer that lists some."""
    listed = entries(document, "data") or [document]
    first = listed[0]
    return isinstance(first, dict) and "traceID" in first and isinstance(first.get("spans"), list)


def unpack(document: Any) -> list[dict[str, Any]]:
    traces = entries(document, "data") or [document]
    return [
        as_span(span)
        for trace in traces
        if isinstance(trace, dict)
        for span in entries(trace, "spans")
        if is_span(span)
    ]


def is_span(value: object) -> bool:
    return isinstance(value, dict) and "spanID" in value


def as_span(span: dict[str, Any]) -> dict[str, Any]:
    """A span of Jaeger by OpenTelemetry's names."""
    tags = fields(span, "tags")
    start, duration = whole(span.get("startTime")), whole(span.get("duration"))
    return {
        "traceId": span.get("traceID"),
        "spanId": span["spanID"],
        "parentSpanId": parent(span),
        "name": span.get("operationName"),
        "startTimeUnixNano": start * NANOSECONDS_PER_MICROSECOND,
        "endTimeUnixNano": (start + duration) * NANOSECONDS_PER_MICROSECOND,
        "attributes": [{"key": key, "value": value} for key, value in tags.items()],
        "events": [event(fields(log, "fields")) for log in entries(span, "logs")],
        "status": status(tags),
        "scope": {"name": tags.get("otel.scope.name"), "version": tags.get("otel.scope.version")},
    }


def fields(value: object, key: str) -> dict[str, Any]:
    """The tags of a span, or the fields of a log entry."""
    return {str(part.get("key")): part.get("value") for part in entries(value, key) if isinstance(part, dict)}


def whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def parent(span: dict[str, Any]) -> object:
    for reference in entries(span, "references"):
        if isinstance(reference, dict) and reference.get("refType") == "CHILD_OF":
            return reference.get("spanID")
    return span.get("parentSpanID")


def event(known: dict[str, Any]) -> dict[str, Any]:
    attributes = [{"key": key, "value": value} for key, value in known.items() if key != "event"]
    return {"name": known.get("event"), "attributes": attributes}


def status(tags: dict[str, Any]) -> dict[str, Any]:
    is_failed = tags.get(STATUS_TAG) == "ERROR" or tags.get(FAILED_TAG) in (True, "true")
    return {"code": 2, "message": tags.get(MESSAGE_TAG)} if is_failed else {}
