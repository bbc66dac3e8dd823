"""Log records of OTLP that belong to spans: GenAI events. Before version 1.37 of the conventions, each message was one."""

from typing import Any

from viva.engine.intake.plain import decode_text, first_value
from viva.engine.intake.span import any_value, attributes_of, entries, nanoseconds
from viva.engine.intake.spoken import INPUT_EVENT_ROLES, MESSAGE_EVENTS, OUTPUT_EVENT

READ_EVENTS = {*INPUT_EVENT_ROLES, OUTPUT_EVENT, *MESSAGE_EVENTS}
EventsBySpan = dict[str, list[dict[str, Any]]]


def events_of_spans(document: Any) -> EventsBySpan:
    """The records by the id of their span, the oldest first, as events of a span."""
    found: EventsBySpan = {}
    for resource in entries(document, "resourceLogs", "resource_logs"):
        for scope in entries(resource, "scopeLogs", "scope_logs"):
            for record in entries(scope, "logRecords", "log_records"):
                if isinstance(record, dict):
                    found.setdefault(str(record.get("spanId", record.get("span_id"))), []).append(record)
    return {span: [as_event(record) for record in sorted(records, key=recorded_at)] for span, records in found.items()}


def recorded_at(record: dict[str, Any]) -> int:
    """When a record was made; if it does not say, when it was observed. Several requests may come in any order."""
    times = (("timeUnixNano", "time_unix_nano"), ("observedTimeUnixNano", "observed_time_unix_nano"))
    return next(filter(None, (nanoseconds(first_value(record, *keys)) for keys in times)), 0)


def event_name(record: dict[str, Any]) -> str:
    """The name of an event. Before OTLP 1.5 it was an attribute."""
    name = first_value(record, "eventName", "event_name") or attributes_of(record.get("attributes")).get("event.name")
    return name if isinstance(name, str) else ""


def is_read(record: dict[str, Any]) -> bool:
    """Whether a record is an event that says what a model was given or answered."""
    return event_name(record) in READ_EVENTS


def as_event(record: dict[str, Any]) -> dict[str, Any]:
    """A record as an event of a span. Its body has what a message says."""
    attributes = attributes_of(record.get("attributes"))
    return {
        "name": event_name(record),
        "attributes": list(pairs(attributes | body_fields(any_value(record.get("body"))))),
    }


def body_fields(body: Any) -> dict[str, Any]:
    """The fields of a body: an object, the JSON of one as the logger of .NET writes it, or one text."""
    known = decode_text(body) if isinstance(body, str) else body
    if isinstance(known, dict):
        return known
    return {"content": body} if isinstance(body, str) and body else {}


def pairs(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes as a list, so that an object among them stays one value."""
    return [{"key": key, "value": value} for key, value in values.items()]


def with_events(span: dict[str, Any], records: EventsBySpan) -> dict[str, Any]:
    own = records.get(str(span.get("spanId", span.get("span_id"))))
    return span | {"events": [*entries(span, "events"), *own]} if own else span
