"""Decodes the body of an OTLP/HTTP request with spans or log records, protobuf or JSON, to the OTLP JSON document.

The library of the protobuf messages is loaded by the first protobuf body, so that nothing else waits for it.
"""

import math
from base64 import b64encode
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from viva.engine.intake import plain
from viva.engine.intake.faults import refuse
from viva.kit.errors import WrongMediaType

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

MAX_EXPORT_PARTS = 500_000  # exporters send 512 spans at once
JSON_TYPE, PROTOBUF_TYPE = "application/json", "application/x-protobuf"


class OtlpSignal(NamedTuple):
    """What an exporter sends, and the names of its three nested lists in JSON and in protobuf."""

    names: tuple[str, str, str]
    fields: tuple[str, str, str]


SPANS = OtlpSignal(("resourceSpans", "scopeSpans", "spans"), ("resource_spans", "scope_spans", "spans"))
LOGS = OtlpSignal(("resourceLogs", "scopeLogs", "logRecords"), ("resource_logs", "scope_logs", "log_records"))


def decode(body: bytes, content_type: str, signal: OtlpSignal = SPANS) -> dict[str, Any]:
    """The OTLP JSON document of a body, or BadTrace. A media type that OTLP does not have is WrongMediaType."""
    media_type = media_type_of(content_type)
    if media_type not in DECODERS:
        raise WrongMediaType(f"OTLP is sent as {PROTOBUF_TYPE} or {JSON_TYPE}.")
    return DECODERS[media_type](body, signal)


def media_type_of(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def decode_json(body: bytes, signal: OtlpSignal) -> dict[str, Any]:
    document = plain.decode(plain.check_raw(body))
    name = signal.names[0]
    if not isinstance(document, dict) or not isinstance(document.get(name, []), list):
        refuse("", "not_otlp", f"is no OTLP request: expected an object with a list of {name}")
    return {name: []} | document


def decode_protobuf(body: bytes, signal: OtlpSignal) -> dict[str, Any]:
    from google.protobuf.message import DecodeError

    try:
        request = request_type(signal).FromString(body)
    except DecodeError:
        refuse("", "not_otlp", "is no OTLP request: its protobuf cannot be decoded")
    resources = list(getattr(request, signal.fields[0]))
    if sum(count_parts(resource, signal) for resource in resources) > MAX_EXPORT_PARTS:
        refuse("", "too_many", f"has more than {MAX_EXPORT_PARTS:,} {signal.names[2]}, events and attributes")
    return {signal.names[0]: [as_resource(resource, signal) for resource in resources]}


def request_type(signal: OtlpSignal) -> "type[Message]":
    if signal is LOGS:
        from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

        return ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    return ExportTraceServiceRequest


def count_parts(resource: Any, signal: OtlpSignal) -> int:
    """How many items, events, attributes and values there are. An empty one has two bytes, and hundreds once decoded."""
    items = list(items_of(resource, signal))
    holders = [resource.resource, *items, *(event for item in items for event in getattr(item, "events", ()))]
    values = (pair.value for holder in holders for pair in holder.attributes)
    bodies = (item.body for item in items) if signal is LOGS else ()
    return len(holders) + sum(map(count_values, chain(values, bodies)))


def encode_rejected_logs(count: int, message: str) -> bytes:
    """The protobuf answer to log records of which some were not taken."""
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
        ExportLogsPartialSuccess,
        ExportLogsServiceResponse,
    )

    partial = ExportLogsPartialSuccess(rejected_log_records=count, error_message=message)
    answer: bytes = ExportLogsServiceResponse(partial_success=partial).SerializeToString()
    return answer


def items_of(resource: Any, signal: OtlpSignal) -> Iterator[Any]:
    _, scopes, items = signal.fields
    return (item for scope in getattr(resource, scopes) for item in getattr(scope, items))


def count_values(value: "AnyValue") -> int:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return 1 + sum(map(count_values, value.array_value.values))
    if kind == "kvlist_value":
        return 1 + sum(count_values(pair.value) for pair in value.kvlist_value.values)
    return 1


DECODERS = {JSON_TYPE: decode_json, PROTOBUF_TYPE: decode_protobuf}


def as_resource(part: Any, signal: OtlpSignal) -> dict[str, Any]:
    _, scopes, items = signal.names
    _, scope_field, item_field = signal.fields
    as_item = as_record if signal is LOGS else as_span
    return {
        "resource": {"attributes": [as_pair(pair) for pair in part.resource.attributes]},
        scopes: [
            {"scope": as_scope(scope.scope), items: [as_item(item) for item in getattr(scope, item_field)]}
            for scope in getattr(part, scope_field)
        ],
    }


def as_scope(scope: "InstrumentationScope") -> dict[str, Any]:
    return {"name": scope.name, "version": scope.version}


def as_span(span: "Span") -> dict[str, Any]:
    """A span as OTLP writes it in JSON: ids in hexadecimal digits, large numbers as texts."""
    parent = {"parentSpanId": span.parent_span_id.hex()} if span.parent_span_id else {}
    return parent | {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "name": span.name,
        "kind": int(span.kind),
        "startTimeUnixNano": str(span.start_time_unix_nano),
        "endTimeUnixNano": str(span.end_time_unix_nano),
        "attributes": [as_pair(pair) for pair in span.attributes],
        "events": [
            {
                "timeUnixNano": str(event.time_unix_nano),
                "name": event.name,
                "attributes": [as_pair(pair) for pair in event.attributes],
            }
            for event in span.events
        ],
        "status": {"code": int(span.status.code), "message": span.status.message},
    }


def as_record(record: "LogRecord") -> dict[str, Any]:
    """A log record as OTLP writes it in JSON."""
    return {
        "traceId": record.trace_id.hex(),
        "spanId": record.span_id.hex(),
        "timeUnixNano": str(record.time_unix_nano),
        "observedTimeUnixNano": str(record.observed_time_unix_nano),
        "eventName": record.event_name,
        "body": as_value(record.body),
        "attributes": [as_pair(pair) for pair in record.attributes],
    }


def as_pair(pair: "KeyValue") -> dict[str, Any]:
    return {"key": pair.key, "value": as_value(pair.value)}


def as_value(value: "AnyValue") -> dict[str, Any]:
    """A value in its typed wrapper; an empty object if it has none."""
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return {"stringValue": value.string_value}
    if kind == "int_value":
        return {"intValue": str(value.int_value)}
    if kind == "bool_value":
        return {"boolValue": value.bool_value}
    if kind == "double_value":
        number = value.double_value
        return {"doubleValue": number if math.isfinite(number) else str(number)}
    if kind == "array_value":
        return {"arrayValue": {"values": [as_value(part) for part in value.array_value.values]}}
    if kind == "kvlist_value":
        return {"kvlistValue": {"values": [as_pair(pair) for pair in value.kvlist_value.values]}}
    return {"bytesValue": b64encode(value.bytes_value).decode()} if kind == "bytes_value" else {}
