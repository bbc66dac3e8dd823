"""Decodes the body of an OTLP/HTTP request for traces, protobuf or JSON, to the OTLP JSON document.

The library of the protobuf messages is loaded by the first protobuf body, so that nothing else waits for it.
"""

import math
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from viva.engine.intake import plain
from viva.engine.intake.faults import refuse
from viva.kit.errors import WrongMediaType

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

MAX_EXPORT_PARTS = 500_000  # exporters send 512 spans at once
JSON_TYPE, PROTOBUF_TYPE = "application/json", "application/x-protobuf"


def decode(body: bytes, content_type: str) -> dict[str, Any]:
    """The OTLP JSON document of a body, or BadTrace. A media type that OTLP does not have is WrongMediaType."""
    media_type = media_type_of(content_type)
    if media_type not in DECODERS:
        raise WrongMediaType(f"OTLP is sent as {PROTOBUF_TYPE} or {JSON_TYPE}.")
    return DECODERS[media_type](body)


def media_type_of(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def decode_json(body: bytes) -> dict[str, Any]:
    document = plain.decode(plain.check_raw(body))
    if not isinstance(document, dict) or not isinstance(document.get("resourceSpans", []), list):
        refuse("", "not_otlp", "is no OTLP request: expected an object with a list of resourceSpans")
    return {"resourceSpans": []} | document


def decode_protobuf(body: bytes) -> dict[str, Any]:
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    try:
        request = ExportTraceServiceRequest.FromString(body)
    except DecodeError:
        refuse("", "not_otlp", "is no OTLP request: its protobuf cannot be decoded")
    if count_parts(request) > MAX_EXPORT_PARTS:
        refuse("", "too_many", f"has more than {MAX_EXPORT_PARTS:,} spans, events and attributes")
    return {"resourceSpans": [as_resource_spans(part) for part in request.resource_spans]}


def count_parts(request: "ExportTraceServiceRequest") -> int:
    """How many spans, events, attributes and values there are. An empty one has two bytes, and hundreds once decoded."""
    spans = [span for part in request.resource_spans for scope in part.scope_spans for span in scope.spans]
    holders = [
        *(part.resource for part in request.resource_spans),
        *spans,
        *(one for span in spans for one in span.events),
    ]
    values = (pair.value for holder in holders for pair in holder.attributes)
    return len(holders) + sum(map(count_values, values))


def count_values(value: "AnyValue") -> int:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return 1 + sum(map(count_values, value.array_value.values))
    if kind == "kvlist_value":
        return 1 + sum(count_values(pair.value) for pair in value.kvlist_value.values)
    return 1


DECODERS = {JSON_TYPE: decode_json, PROTOBUF_TYPE: decode_protobuf}


def as_resource_spans(part: "ResourceSpans") -> dict[str, Any]:
    return {
        "resource": {"attributes": [as_pair(pair) for pair in part.resource.attributes]},
        "scopeSpans": [as_scope_spans(scope) for scope in part.scope_spans],
    }


def as_scope_spans(part: "ScopeSpans") -> dict[str, Any]:
    return {"scope": as_scope(part.scope), "spans": [as_span(span) for span in part.spans]}


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
