"""Reads several traces at once, from one document or from lines, and names every fault with its line."""

import io
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from viva.engine.intake import files, native, plain
from viva.engine.intake.faults import BadTrace
from viva.engine.intake.limits import LIMITS, MEBIBYTE
from viva.kit.bodies import BodyLine
from viva.kit.errors import Fault, VivaError
from viva.traces.masking import may_need_masking
from viva.traces.model import NewTrace
from viva.traces.reading import make_trace, read_trace

MAX_QUICK_BYTES = 16 * 1024  # of a document that is read on the event loop, in a third of a millisecond
MAX_LISTED_TRACES = 200  # of one document; more come as JSON lines, which need no long transaction
MAX_UNPACKED_BYTES = 64 * MEBIBYTE  # of all traces of one upload; a small archive can hold much more
UPLOAD_LIMITS = LIMITS._replace(file=MAX_UNPACKED_BYTES)


class LineFault(Struct, frozen=True):
    """What is wrong with one line. In a document, the line is the position of the trace, counted from 1."""

    line: int
    field: str
    code: str
    message: str


TOO_MANY = LineFault(
    1,
    "body",
    "too_many",
    f"The document has more than {MAX_LISTED_TRACES} traces, or more than {MAX_UNPACKED_BYTES // MEBIBYTE} MiB of text. "
    "Send that many as JSON lines.",
)


class NumberedTrace(NamedTuple):
    """A trace that was read, with the line it stood in."""

    line: int
    trace: NewTrace


class ReadBatch(NamedTuple):
    """The traces that were read, and what is wrong with the others."""

    traces: list[NumberedTrace]
    faults: list[LineFault]


def read_quickly(body: bytes, masking_key: bytes | None, tags: Iterable[str] = ()) -> ReadBatch | None:
    """The trace of a small document in our own form with nothing to mask; None if reading it takes longer.

    This takes less time than to pass it to a thread."""
    raw = body.strip()
    if len(raw) > MAX_QUICK_BYTES or not raw.startswith(b"{"):
        return None
    try:
        trace = native.read_bytes(plain.check_raw(raw))
    except BadTrace:
        return None
    if trace is None or (masking_key and may_need_masking(trace)):
        return None
    return ReadBatch([NumberedTrace(1, make_trace(trace, raw, None, tags))], [])


def read_document(body: bytes, masking_key: bytes | None, tags: Iterable[str] = ()) -> ReadBatch:
    """The traces of one document or file of any form, an archive or the lines of one session among them."""
    batch = ReadBatch([], [])
    size = 0
    for number, item in enumerate(files.items(io.BytesIO(body), "upload", UPLOAD_LIMITS), 1):
        size += len(item.raw)
        if number > MAX_LISTED_TRACES or size > MAX_UNPACKED_BYTES:
            return ReadBatch([], [TOO_MANY])
        if item.fault:
            batch.faults.extend(faults_in(number, item.fault))
        else:
            read_part(batch, number, item.raw, masking_key, tags)
    return batch


def read_line_batch(
    lines: Iterable[BodyLine], masking_key: bytes | None, tags: Iterable[str], max_bytes: int
) -> ReadBatch:
    batch = ReadBatch([], [])
    for line in lines:
        if line.is_too_long:
            message = f"The line has more than {max_bytes:,} bytes."
            batch.faults.append(LineFault(line.number, "line", "too_large", message))
        else:
            read_part(batch, line.number, line.raw, masking_key, tags)
    return batch


def read_part(batch: ReadBatch, number: int, raw: bytes, masking_key: bytes | None, tags: Iterable[str]) -> None:
    """Add a trace to the batch, or its faults."""
    try:
        batch.traces.append(NumberedTrace(number, read_trace(raw, masking_key, tags)))
    except BadTrace as error:
        batch.faults.extend(faults_in(number, error))


def faults_in(number: int, error: VivaError) -> Iterable[LineFault]:
    return [LineFault(number, fault.field, fault.code, fault.message) for fault in error.faults]


def refusal_of(faults: list[LineFault]) -> BadTrace:
    """The error for an upload of which nothing was stored. With several traces, each fault says which one."""
    is_one = all(fault.line == 1 for fault in faults)
    named = tuple(
        Fault(fault.field if is_one else f"line {fault.line}: {fault.field}", fault.code, fault.message)
        for fault in faults
    )
    first = named[0]
    return BadTrace(f"Nothing was stored. {first.field}: {first.message}", faults=named)
