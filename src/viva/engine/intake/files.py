"""Reads the traces of a file one by one, as bytes that another process can parse."""

import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from viva.engine.intake import archive, formats, plain, rows, spans
from viva.engine.intake.faults import BadTrace, bad_trace, refuse, with_location
from viva.engine.intake.forms import inspect
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.source import TraceFile
from viva.engine.model import Trace
from viva.kit.errors import Fault

MAX_OPENING_ENTRIES = 5  # of a list that are looked at; a session may begin with notes about itself
STANDARD_INPUT = "-"
JSON_LINES_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")  # files with one document a line


class RawTrace(NamedTuple):
    """One trace before parsing: its location, a default id, and its JSON or its fault."""

    where: str
    name: str
    raw: bytes
    fault: BadTrace | None = None


def read_traces(path: str | Path, limits: Limits = LIMITS) -> Iterator[RawTrace]:
    """The traces of a file in any format; `-` is standard input. JSON lines are not parsed here."""
    if str(path) == STANDARD_INPUT:
        yield from items(sys.stdin.buffer, "stdin", limits)
    else:
        with open(path, "rb") as file:
            yield from items(file, str(path), limits)


def parse(item: RawTrace, limits: Limits = LIMITS) -> Trace:
    """The trace of an item, or BadTrace. Its message begins with file and line."""
    if item.fault:
        raise with_location(item.where, item.fault)
    try:
        return formats.parse(item.raw, item.name, limits)
    except BadTrace as error:
        raise with_location(item.where, error) from None


def items(file: IO[bytes], name: str, limits: Limits = LIMITS) -> Iterator[RawTrace]:
    """The traces of an open file. A damaged archive gives a last item with a fault."""
    source = TraceFile(file, limits)
    try:
        yield from read_by_layout(source, name)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        fault = Fault("file", "damaged", f"the archive is damaged: {error}")
        yield RawTrace(f"{name}:{source.number}", name, b"", bad_trace([fault]))


def read_by_layout(source: TraceFile, name: str) -> Iterator[RawTrace]:
    """Read the file by its layout: an archive, a table, a document a line, one list over all lines, or one document."""
    if source.is_zip():
        return read_archive(source, name)
    first_lines = source.opening()
    if not first_lines:
        return read_lines(source, name)
    if columns := rows.header(first_lines[0]):
        return read_table(source, name, columns)
    if name.lower().endswith(JSON_LINES_SUFFIXES) or (len(first_lines) > 1 and is_json(first_lines[0])):
        if spans.is_export(first_lines[0]):
            return read_span_batches(source, name)
        return read_session(source, name) if begins_as_parts(first_lines) else read_lines(source, name)
    return read_document(source, name)


def is_json(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def read_lines(source: TraceFile, name: str) -> Iterator[RawTrace]:
    for line in source.lines():
        yield RawTrace(f"{name}:{line.number}", f"trace-{line.number}", line.raw, line.fault)


def read_span_batches(source: TraceFile, name: str) -> Iterator[RawTrace]:
    """The traces of an exporter that writes a batch of spans a line. A trace may span lines, so all are read first."""
    batches: list[Any] = []
    size = 0
    for line in source.lines():
        size += len(line.raw)
        if size > source.limits.file:
            yield too_large(source, name)
            return
        try:
            if line.fault:
                raise line.fault
            batches.append(plain.decode(plain.check_raw(line.raw, source.limits)))
        except BadTrace as error:
            yield RawTrace(f"{name}:{line.number}", f"trace-{line.number}", b"", error)
    for position, part in enumerate(spans.parts(spans.merge_batches(batches))):
        yield RawTrace(f"{name}[{position}]", f"trace-{position + 1}", msgspec.json.encode(part))


def read_session(source: TraceFile, name: str) -> Iterator[RawTrace]:
    """The traces of a file whose lines are the entries of one list: messages, spans or the events of a session."""
    entries: list[bytes] = []
    size = 0
    for line in source.lines():
        size += len(line.raw)
        fault = line.fault or (None if is_json(line.raw) else bad_trace([Fault("line", "not_json", "is not JSON")]))
        if fault:
            yield RawTrace(f"{name}:{line.number}", "trace-1", b"", fault)
            return
        if size > source.limits.file:
            yield too_large(source, name)
            return
        entries.append(line.raw)
    yield from split_whole(b"[" + b",".join(entries) + b"]", name)


def read_archive(source: TraceFile, name: str) -> Iterator[RawTrace]:
    """The traces of an Inspect log in a zip archive: one for each sample."""
    for position, entry in enumerate(archive.samples(source.whole(), source.limits), 1):
        yield RawTrace(f"{name}[{entry.name}]", f"trace-{position}", entry.raw, entry.fault)


def read_table(source: TraceFile, name: str, columns: rows.Columns) -> Iterator[RawTrace]:
    for line, document, fault in rows.conversations(source, columns):
        raw = b"" if fault else msgspec.json.encode(document)
        yield RawTrace(f"{name}:{line}", f"trace-{line}", raw, fault)


def read_document(source: TraceFile, name: str) -> Iterator[RawTrace]:
    """The traces of one document: a trace, a list of traces, or a data set."""
    raw = source.rest().strip()
    if len(raw) > source.limits.file:
        yield too_large(source, name)
        return
    yield from split_whole(raw, name)


def split_whole(raw: bytes, name: str) -> Iterator[RawTrace]:
    """Each trace of one document."""
    try:
        parts = split_document(raw)
    except BadTrace as error:
        yield RawTrace(name, "trace-1", b"", error)
        return
    for position, part in enumerate(parts):
        where = name if len(parts) == 1 else f"{name}[{position}]"
        yield RawTrace(where, f"trace-{position + 1}", bytes(part))


def too_large(source: TraceFile, name: str) -> RawTrace:
    message = f"has more than {source.limits.file:,} bytes; write one trace a line (JSONL), which has no such bound"
    return RawTrace(name, "trace-1", b"", bad_trace([Fault("file", "too_large", message)]))


def split_document(raw: bytes) -> Sequence[bytes | msgspec.Raw]:
    """The JSON of each trace in a document. A list of traces is split without parsing it."""
    if inspect.LOG_BEGINS.match(raw):
        raw = inspect.replace_constants(raw)
    if raw.startswith(b"["):
        elements = split_list(raw)
        if elements and not begins_as_parts([bytes(part) for part in elements[:MAX_OPENING_ENTRIES]]):
            return elements
    plain.check_utf8(raw)
    if plain.is_deeper(raw, LIMITS.depth + formats.MAX_WRAPPING_LEVELS):
        return [raw]  # its reader reports the fault
    whole = plain.decode(raw)
    document = formats.open_envelope(whole)
    form = formats.find_format(document)
    parts = form.parts(document) if form else document if isinstance(document, list) and document else [document]
    return [raw] if len(parts) == 1 and (form or parts[0] is whole) else [msgspec.json.encode(part) for part in parts]


def is_part_of_run(line: bytes) -> bool:
    """Whether the lines of a file are one run together: the events of a session, or batches of spans."""
    return spans.is_export(line) or begins_as_parts([line])


def begins_as_parts(entries: list[bytes]) -> bool:
    """Whether entries make sense only in a list: messages, spans or events. The first one with a form decides."""
    for raw in entries:
        try:
            if plain.is_deeper(raw, LIMITS.depth):
                return False
            part = plain.decode(raw)
        except BadTrace:
            return False
        alone, listed = formats.format_name(part), formats.format_name(formats.open_envelope([part]))
        if alone or listed:
            return listed != "" and alone in ("", listed)
    return False


def split_list(raw: bytes) -> list[msgspec.Raw]:
    """The elements of a JSON list, each as its bytes."""
    try:
        return msgspec.json.decode(raw, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError) as error:
        return refuse("file", "not_json", f"is not JSON: {str(error).removeprefix('JSON is malformed: ')}")
