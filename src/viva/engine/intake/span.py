"""Reads one span, from OTLP JSON or from a flat object."""

import re
from base64 import b64decode
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from viva.engine.intake.plain import first_value, parse_embedded_json

VALUE_KEYS = ("parameters", "arguments", "result", "value", "definitions", "messages", "metadata")
START_KEYS = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "start_timestamp")
END_KEYS = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime", "end_timestamp")
FAILED_STATUS_CODES = (2, "2", "ERROR", "STATUS_CODE_ERROR")
SINGLE_VALUE_KEYS = (
    *("stringValue", "boolValue", "intValue", "doubleValue", "bytesValue"),
    *("string_value", "bool_value", "int_value", "double_value", "bytes_value"),
)  # of OTLP, in JSON and as protobuf names them
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
BASE64_TRACE_ID = re.compile(r"[A-Za-z0-9+/]{22}==")


class Span(NamedTuple):
    """A span: its times in nanoseconds, its attributes by dotted names."""

    trace: str
    id: str
    parent: str
    start: int
    end: int
    attributes: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]]
    error: str | None
    source: Any  # as it was read
    name: str = ""

    @property
    def latency_ms(self) -> float:
        return max(0, self.end - self.start) / 1e6

    def first(self, keys: tuple[str, ...]) -> Any:
        """The value of the first of these attributes that is set."""
        return next((self.attributes[key] for key in keys if self.attributes.get(key) not in (None, "")), None)


def entries(value: object, *keys: str) -> list[Any]:
    """The list under the first of these keys that an object has."""
    found = first_value(value, *keys) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def parse_span(value: dict[str, Any]) -> Span:
    context = value.get("context")
    place = value | context if isinstance(context, dict) else value
    start, end = (nanoseconds(first_value(value, *keys)) for keys in (START_KEYS, END_KEYS))
    attributes = attributes_of(known_json(value.get("attributes")))
    return Span(
        readable_id(first_value(place, "traceId", "trace_id")),
        str(first_value(place, "spanId", "span_id") or ""),
        str(first_value(value, "parentSpanId", "parent_span_id", "parent_id") or ""),
        start,
        max(start, end),
        attributes,
        [(str(event.get("name")), attributes_of(event.get("attributes"))) for event in events_of(value)],
        error_of(value, attributes),
        value,
        str(first_value(value, "name", "span_name") or ""),
    )


def readable_id(value: object) -> str:
    """The id of a trace in hexadecimal digits. JSON that is made from protobuf has it in base64."""
    text = str(value or "")
    return b64decode(text).hex() if BASE64_TRACE_ID.fullmatch(text) else text


def events_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for event in entries(value, "events") if isinstance(event, dict)]


def nanoseconds(value: object) -> int:
    """Nanoseconds from a number, digits or an ISO time. A time without a zone is UTC. Anything else is 0."""
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
    code = first_value(details, "code", "status_code")
    kind = attributes.get("error.type")
    if code not in FAILED_STATUS_CODES and not kind:
        return None
    message = first_value(details, "message", "status_message") or exception_message(value)
    return str(message or content_error(attributes) or kind or "error")


def exception_message(value: dict[str, Any]) -> Any:
    found = [attributes_of(event.get("attributes")) for event in events_of(value) if event.get("name") == "exception"]
    return next((event["exception.message"] for event in found if event.get("exception.message")), None)


def content_error(attributes: dict[str, Any]) -> Any:
    """The message in an attribute of Logfire."""
    found = known_json(attributes.get("error"))
    return found.get("message") if isinstance(found, dict) else None


def attributes_of(value: object) -> dict[str, Any]:
    """Attributes by dotted names, from OTLP's list of pairs or from an object."""
    if isinstance(value, list):
        pairs = [(part.get("key"), any_value(part.get("value"))) for part in value if isinstance(part, dict)]
        return {key: known for key, known in pairs if isinstance(key, str)}
    return dict(flatten_object("", value)) if isinstance(value, dict) else {}


def flatten_object(prefix: str, value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Flatten nested objects to dotted names. An object under one of VALUE_KEYS stays a value."""
    for key, part in value.items():
        name = f"{prefix}.{key}" if prefix else key
        if isinstance(part, dict) and "." not in key and key not in VALUE_KEYS:
            yield from flatten_object(name, part)
        else:
            yield name, part


def any_value(value: Any) -> Any:
    """The plain value inside OTLP's typed wrapper."""
    held = {kind: part for kind, part in value.items() if part is not None} if isinstance(value, dict) else {}
    kind, known = next(iter(held.items())) if len(held) == 1 else ("", None)
    if kind in ("arrayValue", "array_value"):
        return [any_value(part) for part in entries(known, "values")]
    if kind in ("kvlistValue", "kvlist_value"):
        return attributes_of(entries(known, "values"))
    if kind == "intValue" and isinstance(known, str) and len(known) < 20 and known.lstrip("-").isdecimal():
        return int(known)
    return known if kind in SINGLE_VALUE_KEYS else value


def known_json(value: Any) -> Any:
    """The value of a text that is JSON. Other values stay unchanged."""
    if not isinstance(value, str):
        return value
    known = parse_embedded_json(value)
    return value if known is None else known
