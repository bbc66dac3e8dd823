"""One span, whether exported as OTLP JSON or written out flat."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from viva.engine.intake.plain import first, parse_embedded_json

VALUE_KEYS = ("parameters", "arguments", "result", "value", "definitions", "messages", "metadata")
FAILED_STATUS_CODES = (2, "2", "ERROR", "STATUS_CODE_ERROR")
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Span(NamedTuple):
    """A stretch of work: its times in nanoseconds, its attributes by their dotted names."""

    trace: str
    id: str
    parent: str
    start: int
    end: int
    attributes: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]]
    error: str | None
    written: Any  # as it came

    @property
    def latency_ms(self) -> float:
        return max(0, self.end - self.start) / 1e6

    def first(self, keys: tuple[str, ...]) -> Any:
        """The first of these attributes that there is."""
        return next((self.attributes[key] for key in keys if self.attributes.get(key) not in (None, "")), None)


def spans(document: Any) -> Iterator[Span]:
    """The spans of an OTLP export, or of a list."""
    if isinstance(document, list):
        yield from (span(part) for part in document if isinstance(part, dict))
        return
    for resource in either(document, "resourceSpans", "resource_spans"):
        for scope in either(resource, "scopeSpans", "scope_spans"):
            yield from (span(part) for part in either(scope, "spans", "spans") if isinstance(part, dict))


def either(value: object, one: str, other: str) -> list[Any]:
    found = value.get(one, value.get(other)) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def span(value: dict[str, Any]) -> Span:
    context = value.get("context")
    place = value | context if isinstance(context, dict) else value
    start = time(first(value, "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"))
    end = time(first(value, "endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"))
    attributes = attributes_of(value.get("attributes"))
    return Span(
        str(first(place, "traceId", "trace_id") or ""),
        str(first(place, "spanId", "span_id") or ""),
        str(first(value, "parentSpanId", "parent_span_id", "parent_id") or ""),
        start,
        max(start, end),
        attributes,
        [(str(event.get("name")), attributes_of(event.get("attributes"))) for event in events_of(value)],
        error_of(value, attributes),
        value,
    )


def events_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in either(value, "events", "events") if isinstance(event, dict)]


def time(value: object) -> int:
    """Nanoseconds from a number, a text of digits or an ISO time, which is UTC if it names no zone; 0 where there is none."""
    if isinstance(value, int | float):
        return int(value)
    if isinstance(value, str) and value.isdecimal() and len(value) < 20:
        return int(value)
    try:
        at = datetime.fromisoformat(str(value))
        return ((at if at.tzinfo else at.replace(tzinfo=UTC)) - UNIX_EPOCH) // MICROSECOND * 1000
    except (ValueError, OverflowError):
        return 0


def error_of(value: dict[str, Any], attributes: dict[str, Any]) -> str | None:
    status = value.get("status")
    details = status if isinstance(status, dict) else value
    code = first(details, "code", "status_code")
    kind = attributes.get("error.type")
    if code not in FAILED_STATUS_CODES and not kind:
        return None
    return str(first(details, "message", "status_message") or kind or "error")


def attributes_of(value: object) -> dict[str, Any]:
    """Attributes by their dotted names, from OTLP's list of keys and values or from an object."""
    if isinstance(value, list):
        pairs = [(part.get("key"), any_value(part.get("value"))) for part in value if isinstance(part, dict)]
        return {key: known for key, known in pairs if isinstance(key, str)}
    return dict(flatten_object("", value)) if isinstance(value, dict) else {}


def flatten_object(prefix: str, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What nested objects hold, by the dotted names of their places; under a name of LEAVES an object is a value."""
    for key, part in value.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(part, dict) and "." not in key and key not in VALUE_KEYS:
            yield from flatten_object(name, part)
        else:
            yield name, part


def any_value(value: Any) -> Any:
    """The plain value that OTLP wraps with its type."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    kind, held = next(iter(value.items()))
    if kind == "arrayValue":
        return [any_value(part) for part in either(held, "values", "values")]
    if kind == "kvlistValue":
        return attributes_of(either(held, "values", "values"))
    if kind == "intValue" and isinstance(held, str) and len(held) < 20 and held.lstrip("-").isdecimal():
        return int(held)
    return held


def known_json(value: Any) -> Any:
    """The value that a text of JSON stands for; other values and other texts as they are."""
    if not isinstance(value, str):
        return value
    known = parse_embedded_json(value)
    return value if known is None else known
