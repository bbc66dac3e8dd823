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
from viva.results.export import EXPORT_COLUMN_NAMES, FIELDS, ExportRow

FormatName = Literal["csv", "jsonl", "parquet"]
ROW_GROUP_ROWS = 10_000  # rows of a row group
ROW_GROUP_BYTES = 8_000_000  # after which it ends sooner
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

# What a spreadsheet may take for a formula: a sign in any width, also behind space or what cannot be seen. Texts that
# look as if they had been guarded already are guarded once more, so that taking one apostrophe away gives all back.
FORMULA = re.compile(r"'*[\s\x00-\x1f\xad\u200b-\u200f\u2060-\u2064\ufeff=+\-@＝＋－＠﹦﹢﹣﹫−]")
CSV_QUOTED = re.compile(r"[\",\r\n]")

Converter = Callable[[Any], Any]


class Encoder(Protocol):
    """Gives a file's bytes piece by piece."""

    def begin(self) -> bytes: ...

    def add(self, rows: Sequence[ExportRow]) -> bytes: ...

    def end(self) -> bytes: ...


def cell(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula, in quotes where it needs them."""
    if text.isidentifier():  # as ids and most names are
        return text
    guarded = "'" + text if FORMULA.match(text) else text
    return '"' + guarded.replace('"', '""') + '"' if not text or CSV_QUOTED.search(guarded) else guarded


def in_utc(value: str | datetime) -> str:
    return value if isinstance(value, str) else format_time(value)  # SQLite keeps it as it is written


def microseconds(value: str | datetime) -> int:
    return (moment(value) - UNIX_EPOCH) // MICROSECOND


def compact(data: str) -> str:
    """On one line, alike from both databases."""
    return msgspec.json.format(data, indent=-1)


def convert_row(row: ExportRow, converters: Sequence[tuple[int, Converter]]) -> list[Any]:
    values = list(row)
    for place, convert in converters:
        if values[place] is not None:
            values[place] = convert(values[place])
    return values


def by_place(converters: dict[str, Converter]) -> list[tuple[int, Converter]]:
    return [(place, converters[field.kind]) for place, field in enumerate(FIELDS) if field.kind in converters]


class CsvEncoder:
    """RFC 4180 in UTF-8. What is null is empty, an empty text is a pair of quotes."""

    CONVERTERS = by_place(
        {
            "text": cell,
            "boolean": lambda value: "true" if value else "false",
            "double": str,
            "integer": str,
            "moment": in_utc,
            "json": lambda data: cell(compact(data)),
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
    """One object a line."""

    CONVERTERS = by_place({"boolean": bool, "moment": in_utc, "json": lambda data: msgspec.Raw(compact(data))})

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

    CONVERTERS = by_place({"moment": microseconds, "json": compact})

    def __init__(self) -> None:
        columns = [parquet.Column(name, PARQUET_TYPES[kind], is_nullable) for name, kind, is_nullable in FIELDS]
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
