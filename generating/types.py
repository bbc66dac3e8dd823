"""Types of the API as Python source."""

from typing import Any

from msgspec import NODEFAULT, UNSET
from msgspec import inspect as types

PLAIN_TYPES: dict[type[types.Type], str] = {
    types.AnyType: "Any",
    types.NoneType: "None",
    types.BoolType: "bool",
    types.IntType: "int",
    types.FloatType: "float",
    types.StrType: "str",
    types.BytesType: "bytes",
    types.DateTimeType: "datetime",
}


def annotation(kind: types.Type) -> str:
    """The type as an annotation. Limits such as a longest length are the hub's to check."""
    match kind:
        case types.Metadata():
            return annotation(kind.type)
        case types.UnionType():
            return " | ".join(dict.fromkeys(annotation(choice) for choice in none_last(kind.types)))
        case types.ListType() | types.VarTupleType():
            return f"list[{annotation(kind.item_type)}]"
        case types.DictType():
            return f"dict[{annotation(kind.key_type)}, {annotation(kind.value_type)}]"
        case types.LiteralType():
            return f"Literal[{', '.join(quote(value) for value in kind.values)}]"
        case types.StructType():
            return kind.cls.__name__
    return PLAIN_TYPES[type(kind)]


def none_last(choices: tuple[types.Type, ...]) -> list[types.Type]:
    return sorted(choices, key=lambda choice: isinstance(choice, types.NoneType))


def quote(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def structs_in(kind: types.Type) -> list[types.StructType]:
    """The structs that a type is made of, each after those that it needs."""
    found: dict[type, types.StructType] = {}
    collect(kind, found)
    return list(found.values())


def collect(kind: types.Type, found: dict[type, types.StructType]) -> None:
    if isinstance(kind, types.StructType) and kind.cls in found:
        return
    for part in parts_of(kind):
        collect(part, found)
    if isinstance(kind, types.StructType):
        found[kind.cls] = kind


def parts_of(kind: types.Type) -> list[types.Type]:
    match kind:
        case types.Metadata():
            return [kind.type]
        case types.UnionType():
            return list(kind.types)
        case types.ListType() | types.VarTupleType():
            return [kind.item_type]
        case types.DictType():
            return [kind.key_type, kind.value_type]
        case types.StructType():
            return [field.type for field in kind.fields]
    return []


def struct_source(struct: types.StructType) -> str:
    """A struct of the API as the client's own class. Fields that it does not know are ignored."""
    doc = own_doc(struct.cls)
    lines = [f"class {struct.cls.__name__}(Struct, frozen=True, kw_only=True):"]
    if doc:
        lines.append(f'    """{doc}"""\n')
    lines += [f"    {field_source(field)}" for field in struct.fields]
    return "\n".join(lines) + ("" if struct.fields else "\n    pass")


def own_doc(cls: type) -> str:
    doc = cls.__dict__.get("__doc__") or ""
    return doc.strip() if not doc.startswith(f"{cls.__name__}(") else ""


def field_source(field: types.Field) -> str:
    kind = annotation(field.type)
    if may_be_unset(field):
        kind = with_unset(kind)
    default = default_source(field)
    if field.encode_name != field.name:
        renamed = f'name="{field.encode_name}"'
        default = f"field({f'default={default}, ' if default else ''}{renamed})"
    return f"{field.name}: {kind}" + (f" = {default}" if default else "")


def default_source(field: types.Field) -> str:
    if may_be_unset(field):
        return "UNSET"
    if field.default_factory is not NODEFAULT:
        return repr(field.default_factory())
    if field.default is NODEFAULT:
        return ""
    return quote(field.default)


def may_be_unset(field: types.Field) -> bool:
    """Whether a field may be left out without a default: UNSET stands for it."""
    has_default = field.default is not NODEFAULT or field.default_factory is not NODEFAULT
    return field.default is UNSET or not (field.required or has_default)


def with_unset(kind: str) -> str:
    return f"{kind.removesuffix(' | None')} | UnsetType" + (" | None" if kind.endswith(" | None") else "")
