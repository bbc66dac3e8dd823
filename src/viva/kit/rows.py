"""Rows of the database as the models they stand for, alike for SQLite and PostgreSQL."""

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


def each(model: type[Model], cursor: Cursor) -> Iterator[Model]:
    """One by one, for a reader who may stop early."""
    build = builder(model, columns(cursor))
    return (build(row) for row in iter(cursor.fetchone, None))


def find(model: type[Model], cursor: Cursor) -> Model | None:
    row = cursor.fetchone()
    return None if row is None else builder(model, columns(cursor))(row)


def one(model: type[Model], cursor: Cursor, missing: type[Exception]) -> Model:
    """The first row, or the error that says that there is none."""
    found = find(model, cursor)
    if found is None:
        raise missing()
    return found


def columns(cursor: Cursor) -> tuple[str, ...]:
    return tuple(column[0] for column in cursor.description or ())


@cache
def builder(model: Any, names: tuple[str, ...]) -> Callable[[Row], Any]:
    """A function from a row with these columns to the model; only columns that need it are converted."""
    hints = get_type_hints(model)
    converters = [
        (place, CONVERTERS[kind]) for place, name in enumerate(names) if (kind := plain(hints[name])) in CONVERTERS
    ]
    in_order = names == tuple(hints)

    def build(row: Row) -> Any:
        values = list(row)
        for place, convert in converters:
            if values[place] is not None:
                values[place] = convert(values[place])
        return model(*values) if in_order else model(**dict(zip(names, values, strict=True)))

    return build


def plain(hint: Any) -> Any:
    """The type itself: without `| None`, without what it is a list or dict of."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(part for part in get_args(hint) if part is not type(None))
    return get_origin(hint) or hint


def moment(value: str | datetime) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


# SQLite keeps times and JSON as text and truth as 0 or 1; PostgreSQL gives JSON as text too (see postgres.py).
CONVERTERS: dict[Any, Callable[[Any], Any]] = {
    datetime: moment,
    bool: bool,
    dict: msgspec.json.decode,
    list: msgspec.json.decode,
}
