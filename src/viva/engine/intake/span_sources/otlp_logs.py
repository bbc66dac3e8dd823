"""Log records of OTLP that belong to spans: GenAI events. Before version 1.37 of the conventions, each message was one.

Events whose span was not exported stand for a call of a model."""

from typing import Any

from viva.engine.intake.plain import decode_text, first_value
from viva.engine.intake.span import any_value, attributes_of, entries, nanoseconds
from viva.engine.intake.spoken import INPUT_EVENT_ROLES, MESSAGE_EVENTS, OUTPUT_EVENT

READ_EVENTS = {*INPUT_EVENT_ROLES, OUTPUT_EVENT, *MESSAGE_EVENTS}
LOG_KEYS = ("resourceLogs", "resource_logs")
COPIED_KEYS = ("gen_ai.agent.name", "gen_ai.agent.id", "gen_ai.conversation.id", "gen_ai.provider.name")
RecordsBySpan = dict[str, list[dict[str, Any]]]


def records_of_spans(document: Any) -> RecordsBySpan:
    """The records by the id of their span, the oldest first."""
    found: RecordsBySpan = {}
    for resource in entries(document, *LOG_KEYS):
        for scope in entries(resource, "scopeLogs", "scope_logs"):
            for record in entries(scope, "logRecords", "log_records"):
                if isinstance(record, dict):
                    found.setdefault(str(record.get("spanId", record.get("span_id"))), []).append(record)
    return {span: sorted(records, key=recorded_at) for span, records in found.items()}


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


def join(spans: list[dict[str, Any]], records: RecordsBySpan) -> list[dict[str, Any]]:
    """The spans with their records as events, and a span for the events that have none."""
    known = {id_of_span(span) for span in spans}
    alone = [found for id, listed in records.items() if id not in known and (found := [*filter(is_read, listed)])]
    return [*(with_events(span, records.get(id_of_span(span), [])) for span in spans), *map(stand_in, alone)]


def id_of_span(span: dict[str, Any]) -> str:
    return str(span.get("spanId", span.get("span_id")))


def with_events(span: dict[str, Any], records: list[dict[str, Any]]) -> dict[str, Any]:
    return span | {"events": [*entries(span, "events"), *map(as_event, records)]} if records else span


def stand_in(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The call of a model that these events tell of."""
    attributes: dict[str, Any] = {"gen_ai.operation.name": "chat"}
    for record in records:
        told = attributes_of(record.get("attributes"))
        attributes |= {key: told[key] for key in COPIED_KEYS if key in told}
    times = {"startTimeUnixNano": recorded_at(records[0]), "endTimeUnixNano": recorded_at(records[-1])}
    place = {key: records[0].get(key) for key in ("traceId", "trace_id", "spanId", "span_id") if key in records[0]}
    return with_events(place | times | {"attributes": list(pairs(attributes))}, records)
