"""Reads what Phoenix gives back of spans: the answers of its REST API, and its table of spans as JSON."""

from typing import Any

from viva.engine.intake.span import entries

TABLE_KEY = "context.span_id"  # a column of the table
ATTRIBUTE_COLUMN = "attributes."
NANOSECONDS_PER_MILLISECOND = 1_000_000
TIME_COLUMNS = ("start_time", "end_time")


def recognise(document: object) -> bool:
    """Whether this is an answer with spans, or a table by rows or by columns."""
    if isinstance(document, dict) and isinstance(document.get(TABLE_KEY), dict):
        return True
    listed = document if isinstance(document, list) else entries(document, "data")
    first = listed[0] if listed else None
    return isinstance(first, dict) and (TABLE_KEY in first or (isinstance(document, dict) and is_span(first)))


def is_span(value: dict[str, Any]) -> bool:
    return "attributes" in value and any(key in value for key in ("context", "span_id"))


def unpack(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, dict) and isinstance(document.get(TABLE_KEY), dict):
        document = rows(document)
    listed = document if isinstance(document, list) else entries(document, "data")
    return [as_span(part) if TABLE_KEY in part else part for part in listed if isinstance(part, dict)]


def rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a table that is written by columns."""
    known = {name: column for name, column in columns.items() if isinstance(column, dict)}
    return [{name: column.get(key) for name, column in known.items()} for key in known[TABLE_KEY]]


def as_span(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a span. Its empty cells are attributes that the span does not have."""
    attributes = [
        {"key": name.removeprefix(ATTRIBUTE_COLUMN), "value": value}
        for name, value in row.items()
        if name.startswith(ATTRIBUTE_COLUMN) and value is not None
    ]
    times = {name: nanoseconds(row.get(name)) for name in TIME_COLUMNS}
    context = {"trace_id": row.get("context.trace_id"), "span_id": row.get(TABLE_KEY)}
    return row | times | {"context": context, "attributes": attributes}


def nanoseconds(value: object) -> object:
    """A time of the table: pandas writes milliseconds, or a text."""
    return int(value * NANOSECONDS_PER_MILLISECOND) if isinstance(value, int | float) else value
