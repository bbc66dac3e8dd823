"""The routes of OpenTelemetry: spans and events as exporters send them, in protobuf or JSON, plain or compressed."""

import asyncio
from typing import Any

import msgspec
from litestar import Router

from viva.agents.model import Agent
from viva.analyses import joining_spans
from viva.api.route_handlers import IncomingBody
from viva.api.route_spec import EncodedAnswer
from viva.api.routing import post_stream
from viva.engine.intake import otlp
from viva.engine.intake.faults import BadTrace
from viva.kit.bodies import NotGzip, read_body, unpack_gzip
from viva.traces.model import BadDataset, check_dataset
from viva.traces.quota import QuotaReached
from viva.traces.span_documents import SplitExport, split_export
from viva.traces.spans import TooManySpans

EMPTY_ANSWERS = {otlp.JSON_TYPE: b"{}", otlp.PROTOBUF_TYPE: b""}  # nothing was rejected
DATASET_HEADER = b"x-viva-dataset"  # exporters can set headers, but no parameters
WITHOUT_SPAN = "These events belong to no span: they have no trace id or no span id."
ERRORS = (BadTrace, BadDataset, NotGzip, QuotaReached, TooManySpans)


@post_stream("/traces", *ERRORS, body_media_types=tuple(EMPTY_ANSWERS), status=200)
async def receive_spans(incoming: IncomingBody, caller: Agent) -> EncodedAnswer[dict[str, Any]]:
    """Receive spans of OpenTelemetry. The spans of one trace may come in several requests.

    A few seconds after its last spans, a trace is read and analysed. The header `X-Viva-Dataset` names its dataset."""
    await receive(incoming, caller, otlp.SPANS)
    return EncodedAnswer(EMPTY_ANSWERS[media_type_of(incoming)])


@post_stream("/logs", *ERRORS, body_media_types=tuple(EMPTY_ANSWERS), status=200)
async def receive_logs(incoming: IncomingBody, caller: Agent) -> EncodedAnswer[dict[str, Any]]:
    """Receive log records of OpenTelemetry. GenAI events among them are read with the spans that they belong to.

    They may come before these spans or after them. Other log records are not stored. `partialSuccess` counts the
    events that belong to no span."""
    without_span = await receive(incoming, caller, otlp.LOGS)
    media_type = media_type_of(incoming)
    if not without_span:
        return EncodedAnswer(EMPTY_ANSWERS[media_type])
    if media_type == otlp.PROTOBUF_TYPE:
        return EncodedAnswer(otlp.encode_rejected_logs(without_span, WITHOUT_SPAN), media_type.encode())
    rejected = {"rejectedLogRecords": str(without_span), "errorMessage": WITHOUT_SPAN}
    return EncodedAnswer(msgspec.json.encode({"partialSuccess": rejected}))


async def receive(incoming: IncomingBody, caller: Agent, signal: otlp.OtlpSignal) -> int:
    """Store what a request holds, by trace id. Returns how many of its events belong to no span."""
    dataset = check_dataset(incoming.header(DATASET_HEADER) or None)
    body = await read_body(incoming.request.receive, incoming.hub.body_bytes)
    groups, without_span = await asyncio.to_thread(read_export, body, incoming, signal)
    quota = incoming.hub.trace_quota
    if groups:
        await incoming.write(lambda db: joining_spans.receive(db, caller.id, dataset, groups, quota))
    return without_span


def read_export(body: bytes, incoming: IncomingBody, signal: otlp.OtlpSignal) -> SplitExport:
    hub = incoming.hub
    is_packed = incoming.header(b"content-encoding").lower() == "gzip"
    content = unpack_gzip(body, hub.body_bytes) if is_packed else body
    return split_export(otlp.decode(content, incoming.header(b"content-type"), signal), signal, hub.masking_key)


def media_type_of(incoming: IncomingBody) -> str:
    return otlp.media_type_of(incoming.header(b"content-type"))


router = Router("/v1", route_handlers=[receive_spans, receive_logs])
