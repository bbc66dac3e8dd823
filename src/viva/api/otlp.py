"""The route of OpenTelemetry: spans as exporters send them, in JSON, plain or compressed."""

import asyncio
from typing import Any

import msgspec
from litestar import Router

from viva.agents.model import Agent
from viva.analyses import joining_spans
from viva.api.route_handlers import IncomingBody
from viva.api.routing import post_stream
from viva.engine.intake.faults import BadTrace, refuse
from viva.kit.bodies import NotGzip, read_body, unpack_gzip
from viva.kit.errors import WrongMediaType
from viva.traces.model import BadDataset, check_dataset
from viva.traces.quota import QuotaReached
from viva.traces.span_documents import split_export

DATASET_HEADER = b"x-viva-dataset"  # exporters can set headers, but no parameters


@post_stream(
    "/traces",
    BadTrace,
    BadDataset,
    NotGzip,
    QuotaReached,
    body_media_types=("application/json",),
    status=200,
)
async def receive_spans(incoming: IncomingBody, caller: Agent) -> dict[str, Any]:
    """Receive spans of OpenTelemetry. The spans of one trace may come in several requests.

    A few seconds after its last spans, a trace is read and analysed. The header `X-Viva-Dataset` names its dataset."""
    hub = incoming.hub
    dataset = check_dataset(incoming.header(DATASET_HEADER) or None)
    body = await read_body(incoming.request.receive, hub.body_bytes)
    is_packed = incoming.header(b"content-encoding").lower() == "gzip"
    groups = await asyncio.to_thread(read_export, body, is_packed, incoming.header(b"content-type"), hub.body_bytes)
    if groups:
        await incoming.write(lambda db: joining_spans.receive(db, caller.id, dataset, groups, hub.trace_quota))
    return {}


def read_export(body: bytes, is_packed: bool, content_type: str, max_bytes: int) -> dict[str, bytes]:
    return split_export(decode(unpack_gzip(body, max_bytes) if is_packed else body, content_type))


def decode(body: bytes, content_type: str) -> dict[str, Any]:
    """The document of an export."""
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise WrongMediaType()
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        refuse("body", "not_json", f"is not JSON: {error}")


router = Router("/v1", route_handlers=[receive_spans])
