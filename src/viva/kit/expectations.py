"""Describes what a type expects, for people who do not know Python's types."""

from functools import cache
from typing import Any

from msgspec import inspect

TYPE_NAMES: dict[type[inspect.Type], str] = {
    inspect.AnyType: "any value",
    inspect.NoneType: "null",
    inspect.BoolType: "true or false",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.StrType: "text",
    inspect.DateTimeType: "a time such as 2026-11-15T12:00:00Z",
    inspect.DateType: "a date such as 2026-11-15",
    inspect.ListType: "a list",
    inspect.VarTupleType: "a list",
    inspect.TupleType: "a list",
    inspect.DictType: "an object",
    inspect.StructType: "an object",
}
# The unit in which the length of each type is counted.
LENGTH_UNITS: dict[type[inspect.Type], str] = {
    inspect.StrType: "characters",
    inspect.ListType: "items",
    inspect.VarTupleType: "items",
    inspect.DictType: "fields",
}


@cache
def describe(kind: Any) -> str:
    """A description such as `a whole number from 1 to 200` or `one of: draft, active, retired`."""
    return describe_info(inspect.type_info(kind))


def describe_info(info: inspect.Type) -> str:
    if isinstance(info, inspect.Metadata):
        return describe_info(info.type)
    if isinstance(info, inspect.UnionType):
        return " or ".join(describe_info(member) for member in info.types)
    if isinstance(info, inspect.LiteralType):
        return "one of: " + ", ".join(str(value) for value in info.values)
    if isinstance(info, inspect.EnumType):
        return "one of: " + ", ".join(str(member.value) for member in info.cls)
    return TYPE_NAMES.get(type(info), "another kind of value") + describe_limits(info)


def describe_limits(info: inspect.Type) -> str:
    if isinstance(info, inspect.IntType | inspect.FloatType):
        above = f" above {info.gt:g}" if info.gt is not None else ""
        below = f" below {info.lt:g}" if info.lt is not None else ""
        return describe_range(info.ge, info.le, "from", "") + above + below
    if type(info) in LENGTH_UNITS:
        minimum, maximum = getattr(info, "min_length", None), getattr(info, "max_length", None)
        pattern = getattr(info, "pattern", None)
        return describe_range(minimum, maximum, "of", f" {LENGTH_UNITS[type(info)]}") + (
            f" like {pattern}" if pattern else ""
        )
    return ""


def describe_range(minimum: float | None, maximum: float | None, word: str, unit: str) -> str:
    if minimum is not None and maximum is not None:
        return f" {word} {minimum:,} to {maximum:,}{unit}"
    if minimum is not None:
        return f" of at least {minimum:,}{unit}"
    return f" of at most {maximum:,}{unit}" if maximum is not None else ""
