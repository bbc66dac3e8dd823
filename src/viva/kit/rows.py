"""Turns rows of SQLite and PostgreSQL into models."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct

Model = TypeVar("Model", bound=Struct)
Row = Sequence[Any]


class Cursor(Protocol):
    @property
    def description(self) -> Sequence[Sequence[Any]] | None: ...
    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...


def many(model: type[Model], cursor: Cursor) -> list[Model]:
    build = builder(model, columns(cursor))
    return [build(row) for row in cursor.fetchall()]


def iterate(model: type[Model], cursor: Cursor) -> Iterator[Model]:
    """The rows one by one, for a reader that may stop early."""
    build = builder(model, columns(cursor))
    return (build(row) for row in iter(cursor.fetchone, None))


def find(model: type[Model], cursor: Cursor) -> Model | None:
    row = cursor.fetchone()
    return None if row is None else builder(model, columns(cursor))(row)


def one(model: type[Model], cursor: Cursor, missing: type[Exception]) -> Model:
    """The first row, or the error `missing`."""
    row = find(model, cursor)
    if row is None:
        raise missing()
    return row


def columns(cursor: Cursor) -> tuple[str, ...]:
    return tuple(column[0] for column in cursor.description or ())


@cache
def builder(model: Any, names: tuple[str, ...]) -> Callable[[Row], Any]:
    """A function that makes the model from a row with these columns. It converts only the columns that need it."""
    hints = get_type_hints(model)
    converters = [
        (place, CONVERTERS[kind]) for place, name in enumerate(names) if (kind := bare_type(hints[name])) in CONVERTERS
    ]
    in_order = names == tuple(hints)

    def build(row: Row) -> Any:
        values = list(row)
        for place, convert in converters:
            if values[place] is not None:
                values[place] = convert(values[place])
        return model(*values) if in_order else model(**dict(zip(names, values, strict=True)))

    return build


def bare_type(hint: Any) -> Any:
    """The type without `| None` and without its parameters."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    return get_origin(hint) or hint


def moment(value: str | datetime) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


# SQLite stores times and JSON as text and booleans as 0 or 1. PostgreSQL gives JSON as text too (see connections.py).
CONVERTERS: dict[Any, Callable[[Any], Any]] = {
    datetime: moment,
    bool: bool,
    dict: msgspec.json.decode,
    list: msgspec.json.decode,
}
