"""The route that takes traces: one, a list, or JSON lines that are stored while they arrive."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any, cast

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.analyses import running, uploading
from viva.analyses.model import AnalysisChoices
from viva.analyses.uploading import TakenTrace, Upload
from viva.api.requests import FILE_TYPE, JSON_LINES_TYPES
from viva.api.route_handlers import IncomingBody
from viva.api.routing import post_stream
from viva.engine.intake import files
from viva.engine.intake.faults import BadTrace
from viva.kit.bodies import BodyLine, Disconnected, read_body, read_lines
from viva.kit.db import Connection
from viva.kit.errors import TooLarge, WrongMediaType
from viva.kit.http_protocol import time_body_by_silence
from viva.kit.idempotency import MAX_KEY_CHARACTERS, BadIdempotencyKey, KeyReused
from viva.traces.batches import LineFault, ReadBatch, read_document, read_line_batch, read_quickly, refusal_of
from viva.traces.model import BadDataset, BadTags, check_dataset, check_tags, split_tags
from viva.traces.quota import QuotaReached
from viva.traces.store import UploadedTwice, hash_upload_key

BATCH_LINES = 64  # read in one thread and stored in one transaction
BATCH_BYTES = 1024 * 1024
NO_TRACES = LineFault(1, "body", "empty", "The upload has no traces.")
MAX_FAULTS_SHOWN = 100  # of one upload; the others are only counted
MAX_REFUSED_LINES = 10_000  # of one upload; after so many, nothing more is read


class UploadAnswer(Struct):
    """The traces that are stored, and the lines that are not, each with its reason."""

    traces: list[TakenTrace]
    errors: list[LineFault]
    refused: int


@post_stream(
    "",
    BadTrace,
    BadDataset,
    BadTags,
    QuotaReached,
    UploadedTwice,
    KeyReused,
    Disconnected,
    running.NoJudge,
    body_media_types=("application/json", *JSON_LINES_TYPES, FILE_TYPE),
    status=202,
)
async def upload_traces(
    incoming: IncomingBody,
    caller: Agent,
    dataset: Annotated[str, Meta(description="The dataset that the traces belong to.")] | None = None,
    tags: Annotated[str, Meta(description="Tags, separated by commas.")] = "",
    judge: bool = False,
    fast: bool = False,
) -> UploadAnswer:
    """Upload recorded runs: one trace or a list as JSON, JSON lines as `application/x-ndjson`, or any file that
    `viva analyze` reads as `application/octet-stream`.

    A document of JSON is stored whole or not at all. JSON lines are stored while they arrive, each line by itself; the
    answer names the traces that are stored and every line that is not. With an `Idempotency-Key`, an upload can be
    repeated after a break: what is stored already is not stored twice."""
    hub = incoming.hub
    choices = AnalysisChoices(judge=judge, fast=fast)
    running.check_judge(choices, bool(hub.judges))
    upload = Upload(caller.id, check_dataset(dataset), read_upload_key(incoming), choices, hub.trace_quota)
    checked_tags = check_tags(split_tags(tags))
    if incoming.header(b"content-encoding") not in ("", "identity"):
        raise WrongMediaType("Send the traces without a Content-Encoding.")
    if incoming.header(b"content-type").partition(";")[0].strip().lower() in JSON_LINES_TYPES:
        return await take_lines(incoming, upload, checked_tags)
    return await take_document(incoming, upload, checked_tags)


def read_upload_key(incoming: IncomingBody) -> str | None:
    key = incoming.header(b"idempotency-key")
    if len(key) > MAX_KEY_CHARACTERS:
        raise BadIdempotencyKey()
    return hash_upload_key(key) if key else None


async def take_document(incoming: IncomingBody, upload: Upload, tags: tuple[str, ...]) -> UploadAnswer:
    """Store all traces of a document, or none."""
    limit = incoming.hub.body_bytes
    body = await read_body(incoming.request.receive, limit, f"Send at most {limit:,} bytes at once.")
    return await take_whole(incoming, upload, tags, body)


async def take_whole(incoming: IncomingBody, upload: Upload, tags: tuple[str, ...], body: bytes) -> UploadAnswer:
    key = incoming.hub.masking_key
    batch = read_quickly(body, key, tags)
    if batch is None:
        batch = await asyncio.to_thread(read_document, body, key, tags)
    if batch.faults or not batch.traces:
        raise refusal_of(batch.faults[:MAX_FAULTS_SHOWN] or [NO_TRACES])
    return UploadAnswer(await incoming.write(lambda db: uploading.take(db, upload, batch.traces)), [], 0)


async def take_lines(incoming: IncomingBody, upload: Upload, tags: tuple[str, ...]) -> UploadAnswer:
    """Store the lines batch by batch. The body may take any time while bytes keep arriving."""
    time_body_by_silence(cast(dict[str, Any], incoming.request.scope))
    hub, answer = incoming.hub, UploadAnswer([], [], 0)
    lines_to_come = read_lines(incoming.request.receive, hub.body_bytes)
    first = await anext(lines_to_come, None)
    if first is None:
        raise refusal_of([NO_TRACES])
    if files.is_part_of_run(first.raw):
        return await take_whole(incoming, upload, tags, await join_lines(first, lines_to_come, hub.body_bytes))
    async for lines in batches_of(first, lines_to_come):
        batch = await asyncio.to_thread(read_line_batch, lines, hub.masking_key, tags, hub.body_bytes)
        add_faults(answer, batch.faults)
        if answer.refused > MAX_REFUSED_LINES:
            message = (
                f"More than {MAX_REFUSED_LINES:,} lines cannot be read. This line and all after it were not stored."
            )
            answer.errors.append(LineFault(lines[0].number, "line", "too_many_faults", message))
            break
        try:
            answer.traces += await incoming.write(partial(take_batch, upload, batch)) if batch.traces else []
        except QuotaReached as error:
            if not answer.traces:
                raise
            # What came before is stored, and the caller must learn its ids. The rest of the body is not read.
            message = f"{error} This line and all after it were not stored."
            add_faults(answer, [LineFault(line, "line", error.code(), message) for line, _ in batch.traces])
            break
    if not answer.traces:
        raise refusal_of(answer.errors or [NO_TRACES])
    return answer


def take_batch(upload: Upload, batch: ReadBatch, db: Connection) -> list[TakenTrace]:
    return uploading.take(db, upload, batch.traces)


def add_faults(answer: UploadAnswer, faults: list[LineFault]) -> None:
    answer.refused += len({fault.line for fault in faults})
    answer.errors += faults[: MAX_FAULTS_SHOWN - len(answer.errors)]


async def join_lines(first: BodyLine, lines: AsyncIterator[BodyLine], max_bytes: int) -> bytes:
    """The lines of one run as one body."""
    body = bytearray(first.raw)
    async for line in lines:
        body += b"\n" + line.raw
        if line.is_too_long or len(body) > max_bytes:
            raise TooLarge(f"The lines of one run have at most {max_bytes:,} bytes together.")
    return bytes(body)


async def batches_of(first: BodyLine, lines: AsyncIterator[BodyLine]) -> AsyncIterator[list[BodyLine]]:
    batch = [first]
    size = len(first.raw)
    async for line in lines:
        batch.append(line)
        size += len(line.raw)
        if len(batch) == BATCH_LINES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


router = Router("/traces", route_handlers=[upload_traces])
