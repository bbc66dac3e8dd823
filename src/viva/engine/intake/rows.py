"""Reads conversations from a table with a row for each message: `conversation_id,message_index,role,content`."""

import csv
from collections.abc import Iterator
from typing import Any, NamedTuple

from viva.engine.intake.faults import BadTrace, Faults, bad_trace
from viva.engine.intake.source import TraceFile

REQUIRED_COLUMNS = ("conversation_id", "role", "content")
MESSAGE_COLUMNS = ("role", "content", "name", "knowledge")  # copied to the message
DELIMITERS = (",", ";", "\t")
MAX_CONVERSATIONS_REMEMBERED = 1_000_000  # ids that are remembered to find scattered rows; about 100 MB


class Columns(NamedTuple):
    """The position of each column, and the delimiter."""

    places: dict[str, int]
    delimiter: str


class TableConversation(NamedTuple):
    """One conversation: its first line, and its document or its fault."""

    line: int
    document: dict[str, Any] | None
    fault: BadTrace | None


class ConversationRows:
    """Collects the rows of one conversation."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.messages: list[tuple[int, dict[str, str]]] = []
        self.size = 0
        self.faults = Faults()

    def conversation(self) -> TableConversation:
        if self.faults:
            return TableConversation(self.line, None, bad_trace(self.faults.listed, self.faults.more))
        self.messages.sort(key=lambda message: message[0])
        return TableConversation(
            self.line, {"id": self.name, "messages": [message for _, message in self.messages]}, None
        )


def header(raw: bytes) -> Columns | None:
    """The columns in a header line; None if the line is not such a header."""
    if raw.startswith((b"{", b"[")):
        return None  # the texts of a document of JSON may name columns
    text = raw.decode("utf-8", "replace").strip()
    for delimiter in DELIMITERS:
        names = [name.strip().strip('"').lower() for name in text.split(delimiter)]
        if set(REQUIRED_COLUMNS) <= set(names):
            return Columns({name: place for place, name in enumerate(names)}, delimiter)
    return None


def conversations(source: TraceFile, columns: Columns) -> Iterator[TableConversation]:
    """The conversations of a table. Their rows must be adjacent; only one is in memory at a time."""
    seen: set[int] = set()
    current: ConversationRows | None = None
    for line, row in records(source, columns.delimiter):
        name = row if isinstance(row, str) else cell(row, columns, "conversation_id")
        if current is None or (isinstance(row, list) and name != current.name):
            if current:
                yield current.conversation()
            current = ConversationRows(name, line)
            if hash(name) in seen:
                add_scattered_fault(current, line)
            elif len(seen) < MAX_CONVERSATIONS_REMEMBERED:
                seen.add(hash(name))
        add_row(current, line, row, columns, source)
    if current:
        yield current.conversation()


def records(source: TraceFile, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each row below the header with its first line. A text instead of a row is an error message."""
    # The csv module has one limit for all readers. Its default of 128 KiB is too small for long answers.
    csv.field_size_limit(max(csv.field_size_limit(), source.limits.bytes))
    feed = TextLines(source)
    reader = csv.reader(feed, delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        feed.row_bytes = 0
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, str(error)
            if feed.row_bytes > source.limits.bytes:
                return
            continue
        if row and line > feed.header_line:
            yield line, row


class TextLines:
    """The lines of a file as text, within the size limit of a row. Invalid UTF-8 stays as surrogate escapes."""

    def __init__(self, source: TraceFile) -> None:
        self.source = source
        self.row_bytes = 0
        self.header_line = 0  # the first line that is not blank
        self.number = 0

    def __iter__(self) -> "TextLines":
        return self

    def __next__(self) -> str:
        chunk = self.source.chunk()
        self.number += 1
        self.row_bytes += len(chunk)
        if self.row_bytes > self.source.limits.bytes:
            raise csv.Error(f"a row has more than {self.source.limits.bytes:,} bytes: is a quotation mark not closed?")
        if not chunk:
            raise StopIteration
        if not self.header_line and chunk.strip():
            self.header_line = self.number
        return chunk.decode("utf-8", "surrogateescape")


def cell(row: list[str], columns: Columns, name: str) -> str:
    place = columns.places.get(name, len(row))
    return row[place] if place < len(row) else ""


def add_scattered_fault(current: ConversationRows, line: int) -> None:
    message = f"line {line}: conversation {current.name!r} goes on after another; sort the rows by conversation_id"
    current.faults.add("conversation_id", "scattered", message)


def add_row(current: ConversationRows, line: int, row: list[str] | str, columns: Columns, source: TraceFile) -> None:
    """Add a row or its fault to the conversation."""
    if isinstance(row, str):
        current.faults.add("row", "not_csv", f"line {line}: {row}")
        return
    current.size += sum(map(len, row))
    if current.size > source.limits.bytes:
        current.messages.clear()
        current.faults.add("conversation_id", "too_large", f"has more than {source.limits.bytes:,} characters")
    elif len(row) <= max(columns.places[name] for name in REQUIRED_COLUMNS):
        current.faults.add("row", "missing", f"line {line}: has {len(row)} of {len(columns.places)} columns")
    elif any("\udc80" <= letter <= "\udcff" for part in row for letter in part if not part.isascii()):
        current.faults.add("row", "not_utf8", f"line {line}: is not UTF-8")
    else:
        add_message(current, line, row, columns)


def add_message(current: ConversationRows, line: int, row: list[str], columns: Columns) -> None:
    index = cell(row, columns, "message_index").strip() or str(len(current.messages))
    if not index.isdecimal() or len(index) > 18:
        current.faults.add("message_index", "wrong_type", f"line {line}: expected a whole number, got {index[:40]!r}")
        return
    message = {
        name: cell(row, columns, name) for name in MESSAGE_COLUMNS if cell(row, columns, name) or name == "content"
    }
    current.messages.append((int(index), message))
