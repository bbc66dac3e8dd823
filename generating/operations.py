"""Routes of the API as operations of the client."""

import keyword
import re
import textwrap
from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from msgspec import inspect as types

from generating.types import annotation, may_be_unset, quote, with_unset
from viva.api.openapi import Operation
from viva.api.route_spec import HEADER_NAMES

INDENT = " " * 8
JSON_TYPES = ("application/json",)
# What the events of a stream are read with: a function of viva.client.events, and the type of its items.
STREAM_READERS = {"stream_messages": ("read_message", "Message"), "stream_analysis": ("read_progress", "AnalysisEvent")}


class Parameter(NamedTuple):
    """A parameter of an operation. Without a default it must be given."""

    name: str
    kind: str
    default: str = ""
    by_name: bool = False  # whether it is given by its name only

    @property
    def source(self) -> str:
        return f"{self.name}: {self.kind}" + (f" = {self.default}" if self.default else "")


class ClientOperation:
    """One operation of the API, as source of the client."""

    def __init__(self, operation: Operation) -> None:
        self.path, self.spec = operation
        self.name = self.spec.function.__name__
        fields = types.type_info(self.spec.parameters).fields  # type: ignore[attr-defined]
        self.in_path = [field for field in fields if f"{{{field.encode_name}}}" in self.path]
        self.headers = [field for field in fields if field.encode_name in HEADER_NAMES.values()]
        self.query = [field for field in fields if field not in self.in_path and field not in self.headers]
        self.body = types.type_info(self.spec.body_type) if self.spec.body_type else None

    @property
    def is_stream(self) -> bool:
        return "text/event-stream" in self.spec.response.media_types

    @property
    def is_file(self) -> bool:
        return not self.is_stream and self.spec.response.media_types != JSON_TYPES

    @property
    def answer(self) -> types.Type:
        return types.type_info(self.spec.answer_type)

    @property
    def answer_kind(self) -> str:
        return "bytes" if self.is_file else annotation(self.answer)

    @property
    def items(self) -> types.Field | None:
        """The items of a page: its last list before the cursor."""
        names = {field.encode_name for field in self.query}
        if not isinstance(self.answer, types.StructType) or names.isdisjoint({"cursor", "offset"}):
            return None
        before_cursor = takewhile(lambda field: field.name != "next_cursor", self.answer.fields)
        lists = [field for field in before_cursor if isinstance(field.type, types.ListType)]
        return lists[-1] if lists else None

    @property
    def parameters(self) -> list[Parameter]:
        """What must be given, the rest of the body, then what may be given by name: the query and the headers.

        A field of the body keeps its place when it need no longer be given."""
        required = [Parameter(field.encode_name, annotation(field.type)) for field in self.in_path]
        optional = [optional_parameter(field) for field in [*self.query, *self.headers]]
        if self.spec.body_media_types:
            required.append(Parameter("content", "bytes"))
            choices = ", ".join(quote(name) for name in self.spec.body_media_types)
            optional.append(Parameter("media_type", f"Literal[{choices}]", quote(self.spec.body_media_types[0]), True))
        elif isinstance(self.body, types.StructType):
            for field in self.body_fields:
                (required if field.required else optional).append(body_parameter(field))
        elif self.body:
            required.append(Parameter("data", annotation(self.body)))
        return sorted([*required, *optional], key=lambda parameter: parameter.by_name)

    @property
    def body_fields(self) -> list[types.Field]:
        """The fields of the body, without those that the hub ignores: they may be anything."""
        fields = self.body.fields if isinstance(self.body, types.StructType) else ()
        return [field for field in fields if field.required or not isinstance(field.type, types.AnyType)]

    @property
    def structs(self) -> Iterator[types.Type]:
        """The types that this operation names."""
        if not self.is_file and not self.is_stream:
            yield self.answer
        if isinstance(self.body, types.StructType):
            yield from (field.type for field in self.body_fields)

    @property
    def source(self) -> str:
        in_place = [parameter.source for parameter in self.parameters if not parameter.by_name]
        by_name = [parameter.source for parameter in self.parameters if parameter.by_name]
        signature = ", ".join(["self", *in_place, *(["*", *by_name] if by_name else [])])
        decorator, returned, value = self.shape()
        doc = textwrap.indent(self.spec.description, INDENT).strip()
        return f'''
    @{decorator}
    def {self.name}({signature}) -> {returned}:
        """{doc}"""
        return {value}
'''

    def shape(self) -> tuple[str, str, str]:
        """The decorator, the type of the description, and the description."""
        if self.is_stream:
            reader, item = STREAM_READERS[self.name]
            return "stream_operation", f"StreamCall[{item}]", f"StreamCall({self.call('bytes')}, {reader})"
        call, items = self.call(self.answer_kind), self.items
        if items:
            by = "cursor" if any(field.encode_name == "cursor" for field in self.query) else "offset"
            item = annotation(items.type.item_type)  # type: ignore[attr-defined]
            paging = "" if by == "cursor" else ', "offset"'
            page = f"PagedCall[{self.answer_kind}, {item}]"
            return "list_operation", page, f'PagedCall({call}, "{items.encode_name}"{paging})'
        return "operation", f"Call[{self.answer_kind}]", call

    def call(self, kind: str) -> str:
        path = re.sub(r"{(\w+)}", r"{in_path(\1)}", self.path)
        parts = [
            quote(self.spec.method),
            f"{'f' if '{' in path else ''}{quote(path)}",
            "type(None)" if kind == "None" else kind,
        ]
        if self.query:
            pairs = ", ".join(f"{quote(field.encode_name)}: {field.encode_name}" for field in self.query)
            parts.append(f"query={{{pairs}}}")
        parts += self.body_parts()
        if self.headers:
            pairs = ", ".join(f"{quote(field.encode_name)}: {snake(field.encode_name)}" for field in self.headers)
            parts.append(f"headers=given_headers({{{pairs}}})")
        return f"Call({', '.join(parts)})"

    def body_parts(self) -> list[str]:
        if self.spec.body_media_types:
            return ["body=content", "media_type=media_type"]
        if isinstance(self.body, types.StructType):
            pairs = ", ".join(f"{quote(each.encode_name)}: {safe_name(each.encode_name)}" for each in self.body_fields)
            nullable = [quote(field.encode_name) + "," for field in self.body_fields if says_null(field)]
            more = f", ({' '.join(nullable)})" if nullable else ""
            return [f"body=given_fields({{{pairs}}}{more})"]
        return ["body=data"] if self.body else []


def body_parameter(field: types.Field) -> Parameter:
    """None leaves a field out, unless null says something of its own: then UNSET leaves it out."""
    name, kind = safe_name(field.encode_name), annotation(field.type)
    if field.required:
        return Parameter(name, kind)
    if says_null(field):
        return Parameter(name, with_unset(kind), "UNSET")
    return Parameter(name, f"{kind.removesuffix(' | None')} | None", "None")


def says_null(field: types.Field) -> bool:
    has_null = annotation(field.type).endswith(" | None")
    return has_null and (field.required or may_be_unset(field))


def optional_parameter(field: types.Field) -> Parameter:
    kind = annotation(field.type).removesuffix(" | None")
    name = snake(field.encode_name)
    return Parameter(name, kind if field.required else f"{kind} | None", "" if field.required else "None", True)


def snake(name: str) -> str:
    return name.lower().replace("-", "_")


def safe_name(name: str) -> str:
    """`from`, `pass` and the like are no names of parameters."""
    return f"{name}_" if keyword.iskeyword(name) else name
