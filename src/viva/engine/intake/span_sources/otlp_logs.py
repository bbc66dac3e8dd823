"""Log records of an OTLP export that belong to spans: before version 1.37 of the conventions, messages were such records."""

from typing import Any

from viva.engine.intake.span import any_value, attributes_of, entries

EventsBySpan = dict[str, list[dict[str, Any]]]


def events_of_spans(document: Any) -> EventsBySpan:
    """The records by the id of their span, as events of a span."""
    found: EventsBySpan = {}
    for resource in entries(document, "resourceLogs", "resource_logs"):
        for scope in entries(resource, "scopeLogs", "scope_logs"):
            for record in entries(scope, "logRecords", "log_records"):
                if isinstance(record, dict):
                    found.setdefault(str(record.get("spanId", record.get("span_id"))), []).append(as_event(record))
    return found


def as_event(record: dict[str, Any]) -> dict[str, Any]:
    """A record as an event. Its body has what a message says."""
    attributes = attributes_of(record.get("attributes"))
    body = any_value(record.get("body"))
    name = record.get("eventName") or attributes.get("event.name")
    return {"name": name, "attributes": list(pairs(attributes | (body if isinstance(body, dict) else {})))}


def pairs(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes as a list, so that an object among them stays one value."""
    return [{"key": key, "value": value} for key, value in values.items()]


def with_events(span: dict[str, Any], records: EventsBySpan) -> dict[str, Any]:
    own = records.get(str(span.get("spanId", span.get("span_id"))))
    return span | {"events": [*entries(span, "events"), *own]} if own else span
