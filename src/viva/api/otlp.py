"""The route of OpenTelemetry: spans as exporters send them, in protobuf or JSON, plain or compressed."""

import asyncio
from typing import Any

from litestar import Router

from viva.agents.model import Agent
from viva.analyses import joining_spans
from viva.api.route_handlers import IncomingBody
from viva.api.route_spec import EncodedAnswer
from viva.api.routing import post_stream
from viva.context import HubContext
from viva.engine.intake import otlp
from viva.engine.intake.faults import BadTrace
from viva.kit.bodies import NotGzip, read_body, unpack_gzip
from viva.traces.masking import Masking
from viva.traces.model import BadDataset, check_dataset
from viva.traces.quota import QuotaReached
from viva.traces.span_documents import split_export
from viva.traces.spans import TooManySpans

EMPTY_ANSWERS = {otlp.JSON_TYPE: b"{}", otlp.PROTOBUF_TYPE: b""}  # nothing was rejected
DATASET_HEADER = b"x-viva-dataset"  # exporters can set headers, but no parameters


@post_stream(
    "/traces",
    BadTrace,
    BadDataset,
    NotGzip,
    QuotaReached,
    TooManySpans,
    body_media_types=(otlp.PROTOBUF_TYPE, otlp.JSON_TYPE),
    status=200,
)
async def receive_spans(incoming: IncomingBody, caller: Agent) -> EncodedAnswer[dict[str, Any]]:
    """Receive spans of OpenTelemetry. The spans of one trace may come in several requests.

    A few seconds after its last spans, a trace is read and analysed. The header `X-Viva-Dataset` names its dataset."""
    hub = incoming.hub
    dataset = check_dataset(incoming.header(DATASET_HEADER) or None)
    body = await read_body(incoming.request.receive, hub.body_bytes)
    is_packed = incoming.header(b"content-encoding").lower() == "gzip"
    content_type = incoming.header(b"content-type")
    groups = await asyncio.to_thread(read_export, body, is_packed, content_type, hub)
    if groups:
        await incoming.write(lambda db: joining_spans.receive(db, caller.id, dataset, groups, hub.trace_quota))
    return EncodedAnswer(EMPTY_ANSWERS[otlp.media_type_of(content_type)])


def read_export(body: bytes, is_packed: bool, content_type: str, hub: HubContext) -> dict[str, bytes]:
    """The spans by trace id. They are masked as they come, because they are stored until the trace is complete."""
    document = otlp.decode(unpack_gzip(body, hub.body_bytes) if is_packed else body, content_type)
    return split_export(Masking(hub.masking_key).mask(document) if hub.masking_key else document)


router = Router("/v1", route_handlers=[receive_spans])
