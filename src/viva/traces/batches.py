"""Reads several traces at once, from one document or from lines, and names every fault with its line."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from viva.engine.intake.faults import BadTrace
from viva.engine.intake.files import split_document
from viva.kit.bodies import BodyLine
from viva.kit.errors import Fault, VivaError
from viva.traces.model import Mask, NewTrace
from viva.traces.reading import read_trace

MAX_LISTED_TRACES = 200  # of one document; more come as JSON lines, which need no long transaction


class LineFault(Struct, frozen=True):
    """What is wrong with one line. In a document, the line is the position of the trace, counted from 1."""

    line: int
    field: str
    code: str
    message: str


class NumberedTrace(NamedTuple):
    """A trace that was read, with the line it stood in."""

    line: int
    trace: NewTrace


class ReadBatch(NamedTuple):
    """The traces that were read, and what is wrong with the others."""

    traces: list[NumberedTrace]
    faults: list[LineFault]


def read_document(body: bytes, mask: Mask | None, tags: Iterable[str] = ()) -> ReadBatch:
    """The traces of one JSON document: a trace, a list of traces, or a data set of any form."""
    try:
        parts = split_document(body.strip())
    except BadTrace as error:
        return ReadBatch([], list(faults_in(1, error)))
    if len(parts) > MAX_LISTED_TRACES:
        message = f"The document has {len(parts):,} traces. Send more than {MAX_LISTED_TRACES} as JSON lines."
        return ReadBatch([], [LineFault(1, "body", "too_many", message)])
    return read_parts(((number, bytes(part)) for number, part in enumerate(parts, 1)), mask, tags)


def read_line_batch(lines: Iterable[BodyLine], mask: Mask | None, tags: Iterable[str], max_bytes: int) -> ReadBatch:
    lines = list(lines)
    too_long = f"The line has more than {max_bytes:,} bytes."
    batch = read_parts(((line.number, line.raw) for line in lines if not line.is_too_long), mask, tags)
    long_lines = [LineFault(line.number, "line", "too_large", too_long) for line in lines if line.is_too_long]
    return ReadBatch(batch.traces, sorted([*batch.faults, *long_lines], key=lambda fault: fault.line))


def read_parts(parts: Iterable[tuple[int, bytes]], mask: Mask | None, tags: Iterable[str]) -> ReadBatch:
    batch = ReadBatch([], [])
    for number, raw in parts:
        try:
            batch.traces.append(NumberedTrace(number, read_trace(raw, mask, tags)))
        except BadTrace as error:
            batch.faults.extend(faults_in(number, error))
    return batch


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
