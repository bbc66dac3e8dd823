"""Exported results as bytes: CSV for spreadsheets, JSON lines for programs, Parquet for data frames."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from viva import __version__
from viva.kit import parquet
from viva.kit.clock import format_time
from viva.kit.rows import moment
from viva.results.export import EXPORT_COLUMN_NAMES, EXPORT_FIELDS, ExportColumns, ExportField

FormatName = Literal["csv", "jsonl", "parquet"]
ROW_GROUP_ROWS = 10_000
ROW_GROUP_BYTES = 8_000_000  # a row group ends at the first of the two limits
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

# What a spreadsheet may read as the start of a formula: a sign in any width, also after white space or invisible
# characters. A text with leading apostrophes is escaped too, so that removing one apostrophe always restores the text.
FORMULA_START = re.compile(r"'*[\s\x00-\x1f\xad\u200b-\u200f\u2060-\u2064\ufeff=+\-@＝＋－＠﹦﹢﹣﹫−]")
CSV_NEEDS_QUOTES = re.compile(r"[\",\r\n]")
# Lines that are cells as they are: ids, most names, versions.
PLAIN_CELLS = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_ .:/-]*\n)*")

ConvertColumn = Callable[[Sequence[Any]], Sequence[Any]]


class Encoder(Protocol):
    """Encodes a file piece by piece."""

    def begin(self) -> bytes: ...

    def add(self, batch: Sequence[Any]) -> bytes: ...

    def end(self) -> bytes: ...


def csv_cell(text: str) -> str:
    """The text as a cell that no spreadsheet reads as a formula, quoted if necessary."""
    if text.isidentifier():  # as ids and most names are
        return text
    escaped = "'" + text if FORMULA_START.match(text) else text
    return '"' + escaped.replace('"', '""') + '"' if not text or CSV_NEEDS_QUOTES.search(escaped) else escaped


def csv_cells(texts: Sequence[str]) -> Sequence[str]:
    """The texts as cells. Most columns need no escaping, and one match over all their lines tells so."""
    lines = "\n".join([*texts, ""])
    is_plain = PLAIN_CELLS.fullmatch(lines) and lines.count("\n") == len(texts)
    return texts if is_plain else [csv_cell(text) for text in texts]


def json_cells(texts: Sequence[str]) -> Sequence[str]:
    """JSON as cells. If it has a quote, it needs quotes itself, and begins with one or with a bracket."""
    return [
        '"' + text.replace('"', '""') + '"' if '"' in text else text if text == "[]" else csv_cell(text)
        for text in map(compact_json, texts)
    ]


def format_moments(values: Sequence[str | datetime]) -> Sequence[str]:
    return [value if isinstance(value, str) else format_time(value) for value in values]  # SQLite stores this form


def json_moments(values: Sequence[str | datetime]) -> Sequence[str | datetime]:
    """Times for an encoder of JSON, which writes the same text faster. It omits microseconds only if there are none."""
    return [
        value if isinstance(value, str) or (value.microsecond and value.tzinfo is UTC) else format_time(value)
        for value in values
    ]


def unix_microseconds(values: Sequence[str | datetime]) -> list[int]:
    return [(moment(value) - UNIX_EPOCH) // MICROSECOND for value in values]


def compact_json(data: str) -> str:
    """JSON on one line; both databases give the same text."""
    return data if data == "[]" else msgspec.json.format(data, indent=-1)  # most results have no reasons


def compact_all(texts: Sequence[str]) -> list[str]:
    return list(map(compact_json, texts))


class ColumnConverters:
    """Turns the values of columns into what a format writes. A kind without a converter stays as it is."""

    def __init__(self, by_kind: Mapping[str, ConvertColumn], null: Any = None) -> None:
        self.converters = [by_kind.get(field.kind) for field in EXPORT_FIELDS]
        self.null = null

    def convert(self, columns: ExportColumns) -> list[Sequence[Any]]:
        return [
            self._convert_column(field, convert, values) if convert else values
            for field, convert, values in zip(EXPORT_FIELDS, self.converters, columns, strict=True)
        ]

    def _convert_column(self, field: ExportField, convert: ConvertColumn, values: Sequence[Any]) -> Sequence[Any]:
        known = [value for value in values if value is not None] if field.is_nullable else values
        if len(known) == len(values):
            return convert(values)
        converted = iter(convert(known))
        return [self.null if value is None else next(converted) for value in values]


class CsvEncoder:
    """RFC 4180 in UTF-8. Null is an empty cell, an empty text is a pair of quotes."""

    CONVERTERS = ColumnConverters(
        {
            "text": csv_cells,
            "boolean": lambda values: ["true" if value else "false" for value in values],
            "double": lambda values: list(map(str, values)),
            "integer": lambda values: list(map(str, values)),
            "moment": format_moments,
            "json": json_cells,
        },
        null="",
    )

    def begin(self) -> bytes:
        return self._lines([EXPORT_COLUMN_NAMES])

    def add(self, columns: ExportColumns) -> bytes:
        return self._lines(zip(*self.CONVERTERS.convert(columns), strict=True))

    def end(self) -> bytes:
        return b""

    def _lines(self, rows: Iterable[Sequence[str]]) -> bytes:
        return "\r\n".join([*map(",".join, rows), ""]).encode()


# A line of JSON has the fields of an export in their order. Making a struct is ten times as fast as making a dict.
JsonLine = msgspec.defstruct("JsonLine", [(name, Any) for name in EXPORT_COLUMN_NAMES], gc=False)


class JsonLinesEncoder:
    """One JSON object for each line."""

    CONVERTERS = ColumnConverters(
        {
            "boolean": lambda values: list(map(bool, values)),
            "moment": json_moments,
            "json": lambda values: list(map(msgspec.Raw, map(compact_json, values))),
        }
    )

    def __init__(self) -> None:
        self.encoder = msgspec.json.Encoder()

    def begin(self) -> bytes:
        return b""

    def add(self, columns: ExportColumns) -> bytes:
        return self.encoder.encode_lines(list(map(JsonLine, *self.CONVERTERS.convert(columns))))

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

    CONVERTERS = ColumnConverters({"moment": unix_microseconds, "json": compact_all})

    def __init__(self) -> None:
        columns = [parquet.Column(name, PARQUET_TYPES[kind], is_nullable) for name, kind, is_nullable in EXPORT_FIELDS]
        self.writer = parquet.ParquetWriter(columns, f"viva version {__version__}")

    def begin(self) -> bytes:
        return self.writer.begin()

    def add(self, columns: ExportColumns) -> bytes:
        self.writer.add(self.CONVERTERS.convert(columns))
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
