"""Lists every place where a document differs from the model's types. The model is the only schema."""

from msgspec import inspect

from viva.engine.intake.faults import Faults
from viva.engine.model import Trace

TRACE = inspect.type_info(Trace)
JSON_TYPE_NAMES: dict[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    dict: "an object",
    list: "a list",
    type(None): "null",
}
EXPECTED_TYPES: dict[type, tuple[str, tuple[type, ...]]] = {
    inspect.StrType: ("text", (str,)),
    inspect.BoolType: ("true or false", (bool,)),
    inspect.IntType: ("a whole number", (int,)),
    inspect.FloatType: ("a number", (int, float)),
    inspect.DictType: ("an object", (dict,)),
    inspect.VarTupleType: ("a list", (list,)),
    inspect.StructType: ("an object", (dict,)),
}


def check(value: object, kind: inspect.Type, path: str, faults: Faults) -> None:
    """Add a fault for each part of `value` that has a wrong type."""
    if isinstance(kind, inspect.UnionType):
        check_optional(value, kind, path, faults)
    elif type(kind) not in EXPECTED_TYPES:
        return
    elif not fits(value, kind):
        faults.add(path, "wrong_type", f"expected {EXPECTED_TYPES[type(kind)][0]}, got {type_name(value)}")
    elif isinstance(kind, inspect.StructType):
        check_fields(value, kind, path, faults)
    elif isinstance(kind, inspect.VarTupleType) and isinstance(value, list):
        for index, part in enumerate(value):
            check(part, kind.item_type, f"{path}[{index}]", faults)


def check_optional(value: object, kind: inspect.UnionType, path: str, faults: Faults) -> None:
    if value is not None:
        check(value, next(part for part in kind.types if not isinstance(part, inspect.NoneType)), path, faults)


def check_fields(value: object, kind: inspect.StructType, path: str, faults: Faults) -> None:
    if not isinstance(value, dict):
        return
    for field in kind.fields:
        below = f"{path}.{field.encode_name}" if path else field.encode_name
        if field.encode_name in value:
            check(value[field.encode_name], field.type, below, faults)
        elif field.required:
            faults.add(below, "missing", "missing")


def fits(value: object, kind: inspect.Type) -> bool:
    if isinstance(value, bool):  # Python counts a bool as a number
        return isinstance(kind, inspect.BoolType)
    return isinstance(value, EXPECTED_TYPES[type(kind)][1])


def type_name(value: object) -> str:
    return JSON_TYPE_NAMES.get(type(value), f"a {type(value).__name__}")
