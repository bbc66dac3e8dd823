"""Exported results as bytes: CSV for spreadsheets, JSON lines for programs, Parquet for data frames."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from viva import __version__
from viva.kit import parquet
from viva.kit.clock import format_time
from viva.kit.rows import moment
from viva.results.export import EXPORT_COLUMN_NAMES, EXPORT_FIELDS, ExportRow

FormatName = Literal["csv", "jsonl", "parquet"]
ROW_GROUP_ROWS = 10_000
ROW_GROUP_BYTES = 8_000_000  # a row group ends at the first of the two limits
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

# What a spreadsheet may read as the start of a formula: a sign in any width, also after white space or invisible
# characters. A text with leading apostrophes is escaped too, so that removing one apostrophe always restores the text.
FORMULA_START = re.compile(r"'*[\s\x00-\x1f\xad\u200b-\u200f\u2060-\u2064\ufeff=+\-@＝＋－＠﹦﹢﹣﹫−]")
CSV_NEEDS_QUOTES = re.compile(r"[\",\r\n]")

Converter = Callable[[Any], Any]


class Encoder(Protocol):
    """Encodes a file piece by piece."""

    def begin(self) -> bytes: ...

    def add(self, rows: Sequence[Any]) -> bytes: ...

    def end(self) -> bytes: ...


def csv_cell(text: str) -> str:
    """The text as a cell that no spreadsheet reads as a formula, quoted if necessary."""
    if text.isidentifier():  # as ids and most names are
        return text
    escaped = "'" + text if FORMULA_START.match(text) else text
    return '"' + escaped.replace('"', '""') + '"' if not text or CSV_NEEDS_QUOTES.search(escaped) else escaped


def format_moment(value: str | datetime) -> str:
    return value if isinstance(value, str) else format_time(value)  # SQLite stores it in this form


def unix_microseconds(value: str | datetime) -> int:
    return (moment(value) - UNIX_EPOCH) // MICROSECOND


def compact_json(data: str) -> str:
    """JSON on one line; both databases give the same text."""
    return msgspec.json.format(data, indent=-1)


def convert_row(row: ExportRow, converters: Sequence[tuple[int, Converter]]) -> list[Any]:
    values = list(row)
    for column, convert in converters:
        if values[column] is not None:
            values[column] = convert(values[column])
    return values


def converters_by_column(converters: dict[str, Converter]) -> list[tuple[int, Converter]]:
    return [(column, converters[field.kind]) for column, field in enumerate(EXPORT_FIELDS) if field.kind in converters]


class CsvEncoder:
    """RFC 4180 in UTF-8. Null is an empty cell, an empty text is a pair of quotes."""

    CONVERTERS = converters_by_column(
        {
            "text": csv_cell,
            "boolean": lambda value: "true" if value else "false",
            "double": str,
            "integer": str,
            "moment": format_moment,
            "json": lambda data: csv_cell(compact_json(data)),
        }
    )

    def begin(self) -> bytes:
        return self._lines([EXPORT_COLUMN_NAMES])

    def add(self, rows: Sequence[ExportRow]) -> bytes:
        return self._lines([convert_row(row, self.CONVERTERS) for row in rows])

    def end(self) -> bytes:
        return b""

    def _lines(self, rows: Sequence[Sequence[str | None]]) -> bytes:
        return "".join([",".join([value or "" for value in row]) + "\r\n" for row in rows]).encode()


class JsonLinesEncoder:
    """One JSON object for each line."""

    CONVERTERS = converters_by_column(
        {"boolean": bool, "moment": format_moment, "json": lambda data: msgspec.Raw(compact_json(data))}
    )

    def __init__(self) -> None:
        self.encoder = msgspec.json.Encoder()

    def begin(self) -> bytes:
        return b""

    def add(self, rows: Sequence[ExportRow]) -> bytes:
        return self.encoder.encode_lines(
            [dict(zip(EXPORT_COLUMN_NAMES, convert_row(row, self.CONVERTERS), strict=True)) for row in rows]
        )

    def end(self) -> bytes:
        return b""


PARQUET_TYPES = {
    "text": parquet.STRING,
    "json": parquet.STRING,
    "boolean": parquet.BOOLEAN,
    "double": parquet.DOUBLE,
    "integer": parquet.INTEGER,
    "moment": parquet.TIMESTAMP,
}


class ParquetEncoder:
    """Typed columns in row groups; `result_data` is JSON text."""

    CONVERTERS = converters_by_column({"moment": unix_microseconds, "json": compact_json})

    def __init__(self) -> None:
        columns = [parquet.Column(name, PARQUET_TYPES[kind], is_nullable) for name, kind, is_nullable in EXPORT_FIELDS]
        self.writer = parquet.ParquetWriter(columns, f"viva version {__version__}")

    def begin(self) -> bytes:
        return self.writer.begin()

    def add(self, rows: Sequence[ExportRow]) -> bytes:
        if rows:
            self.writer.add(list(zip(*(convert_row(row, self.CONVERTERS) for row in rows), strict=True)))
        is_full = self.writer.waiting >= ROW_GROUP_ROWS or self.writer.waiting_bytes >= ROW_GROUP_BYTES
        return self.writer.end_group() if is_full else b""

    def end(self) -> bytes:
        return (self.writer.end_group() if self.writer.waiting else b"") + self.writer.end()


class ExportFormat(NamedTuple):
    encoder: Callable[[], Encoder]
    media_type: str


EXPORT_FORMATS: dict[FormatName, ExportFormat] = {
    "csv": ExportFormat(CsvEncoder, "text/csv; charset=utf-8; header=present"),
    "jsonl": ExportFormat(JsonLinesEncoder, "application/x-ndjson"),
    "parquet": ExportFormat(ParquetEncoder, "application/vnd.apache.parquet"),
}
EXPORT_ENDINGS: dict[str, FormatName] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
