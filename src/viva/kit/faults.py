"""Finds every fault of an input. msgspec stops at the first, so a refused input is checked part by part."""

from functools import cache
from itertools import islice
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import msgspec
from msgspec import structs

from viva.kit.errors import Fault
from viva.kit.expectations import describe

MAX_FAULTS = 50  # reported for one input
MAX_PARTS = 5_000  # checked, since an input of megabytes may have a million
MAX_FIELD_CHARACTERS = 100  # of a field's name in the report


class Tags(NamedTuple):
    field: str
    values: list[str]


def find_faults(value: Any, kind: Any, strict: bool = True) -> list[Fault]:
    """The faults of a value. Without `strict`, text may stand for a number, as in a query.

    It finds none if too many correct parts come before them."""
    return FaultFinder(strict).find(value, kind)


class FaultFinder:
    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.parts = 0
        self.faults: list[Fault] = []

    def find(self, value: Any, kind: Any) -> list[Fault]:
        self.visit(value, kind, "")
        return self.faults[:MAX_FAULTS]

    def visit(self, value: Any, kind: Any, field: str) -> None:
        self.parts += 1
        if self.parts > MAX_PARTS or len(self.faults) >= MAX_FAULTS:
            return
        refusal = self.refusal(value, kind)
        if refusal is None:
            return
        before = len(self.faults)
        container = container_for(value, kind)
        if container is not None:
            self.visit_parts(value, container, field)
        elif tags := tags_of(value, kind):
            self.add(join(field, tags.field), "not_a_choice", f"Expected one of: {', '.join(tags.values)}.")
        are_parts_correct = len(self.faults) == before and self.parts <= MAX_PARTS
        if are_parts_correct:  # then the value itself is wrong
            self.add(field, code_of(refusal), f"Expected {describe(without_null(kind, self.strict))}.")

    def visit_parts(self, value: Any, container: Any, field: str) -> None:
        if is_struct(container):
            self.visit_fields(value, container, field)
        elif isinstance(value, dict):
            for name, part in value.items():
                self.visit(part, get_args(container)[1], join(field, name))
        else:
            for index, part in enumerate(value):
                self.visit(part, get_args(container)[0], f"{field}[{index}]")

    def visit_fields(self, value: dict[str, Any], struct: type[msgspec.Struct], field: str) -> None:
        known = {info.encode_name: info for info in structs.fields(struct)}
        for name, info in known.items():
            if name in value:
                self.visit(value[name], info.type, join(field, name))
            elif info.required:
                expected = describe(without_null(info.type, self.strict))
                self.add(join(field, name), "missing", f"This is missing; expected {expected}.")
        if struct.__struct_config__.forbid_unknown_fields:
            message = f"There is no such field; there are: {', '.join(known)}."
            for name in islice((name for name in value if name not in known), MAX_FAULTS):
                self.add(join(field, name), "unknown", message)

    def add(self, field: str, code: str, message: str) -> None:
        self.faults.append(Fault(field, code, message))

    def refusal(self, value: Any, kind: Any) -> str | None:
        try:
            msgspec.convert(value, kind, strict=self.strict, str_keys=True)
        except msgspec.ValidationError as error:
            return str(error)
        return None


def join(field: str, name: str) -> str:
    return f"{field}.{name[:MAX_FIELD_CHARACTERS]}".lstrip(".")


def container_for(value: Any, kind: Any) -> Any:
    """The only allowed type that is a container like the value, or None."""
    if not isinstance(value, dict | list):
        return None
    matching = [option for option in alternatives(kind) if is_container_like(option, value)]
    if len(matching) > 1:
        matching = [option for option in matching if has_tag(value, option)]
    return matching[0] if len(matching) == 1 else None


def has_tag(value: Any, kind: Any) -> bool:
    """Whether the value says by its tag that it is this struct."""
    config = kind.__struct_config__ if is_struct(kind) else None
    return config is not None and config.tag is not None and value.get(config.tag_field) == config.tag


def tags_of(value: Any, kind: Any) -> Tags | None:
    """The tags of which the value has none, if the type is one of several structs that are told apart by a tag."""
    configs = [option.__struct_config__ for option in alternatives(kind) if is_struct(option)]
    if not isinstance(value, dict) or len(configs) < 2 or any(config.tag is None for config in configs):
        return None
    return Tags(configs[0].tag_field, [str(config.tag) for config in configs])


@cache
def alternatives(kind: Any) -> tuple[Any, ...]:
    """The types that a value may have. They are kept, since taking a type apart is slow."""
    origin = get_origin(kind)
    if origin is Annotated:
        return alternatives(get_args(kind)[0])
    if origin in (Union, UnionType):
        return tuple(inner for option in get_args(kind) for inner in alternatives(option))
    return (kind,)


def is_container_like(kind: Any, value: Any) -> bool:
    if isinstance(value, dict):
        return is_struct(kind) or (get_origin(kind) is dict)
    return get_origin(kind) is list


def is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def without_null(kind: Any, strict: bool) -> Any:
    """The type without null for a query, where an optional parameter is never sent as null."""
    if strict or get_origin(kind) not in (Union, UnionType):
        return kind
    rest = [option for option in get_args(kind) if option is not NoneType]
    return rest[0] if len(rest) == 1 else kind


def code_of(refusal: str) -> str:
    """The code of the fault in msgspec's message."""
    if refusal.startswith("Invalid enum value"):
        return "not_a_choice"
    return "wrong_type" if ", got " in refusal else "out_of_range"
