"""How much work it is to hold arguments against a schema: parts that refer to one another can multiply it without end."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

VISITS = 4_000  # of parts of a schema for one call; ordinary ones take some tens
VISITS_PER_BYTE = 4  # more for long arguments: of a list of points each takes some four, and has a dozen bytes
ENDLESS = 10**9  # visits of a part that cannot be followed
LONGEST_REF = 1_000  # characters; it is taken apart at every visit
MULTIPLY = (b'"$ref"', b'"$dynamicRef"', b'"$recursiveRef"', b'"unevaluated')  # else a part meets a value once at most
# Parts for the value itself: in a list, alone, or by the name of a member that has to be there.
LISTS = ("allOf", "anyOf", "oneOf")
SINGLE = ("not", "if", "then", "else")
DEPENDENT = ("dependentSchemas", "dependencies")
UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
LOOKED_AGAIN = 3  # times that the validator goes through what stands beside one of these
# Parts for the members of the value.
POSITIONS = ("prefixItems", "items")
ITEMS = ("items", "contains", "additionalItems", "unevaluatedItems")
UNNAMED = ("additionalProperties", "unevaluatedProperties")
MEMBERS = (*ITEMS, *UNNAMED, "prefixItems", "properties", "patternProperties", "propertyNames")
DYNAMIC = ("$dynamicRef", "$recursiveRef")
IDS = ("$id", "id")  # inside a schema they change what its refs mean
SchemaVisit = tuple[Any, Any, int]  # a part of a schema, the value it is held against, and how many times


def can_multiply(schema: bytes) -> bool:
    """Whether the work may grow faster than schema and arguments do."""
    return any(word in schema for word in MULTIPLY)


def is_bounded(root: Any, value: Any, size: int) -> bool:
    """Whether a value of so many bytes is held against a schema within the bound: the visits are made, but not judged."""
    left = VISITS + VISITS_PER_BYTE * size
    waiting: list[SchemaVisit] = [(root, value, 1)]
    while waiting:
        schema, value, times = waiting.pop()
        for part, met, more in below(schema, value, root) if isinstance(schema, dict) else ():
            left -= times * more
            if left < 0:
                return False
            waiting.append((part, met, times * more))
    return True


def below(schema: dict[str, Any], value: Any, root: Any) -> Iterator[SchemaVisit]:
    """The visits that follow from one."""
    if any(word in schema for word in DYNAMIC) or is_elsewhere(schema, root):
        yield None, value, ENDLESS
    again = LOOKED_AGAIN if any(word in schema for word in UNEVALUATED) else 1
    yield from ((part, value, again) for part in beside(schema))
    if isinstance(schema.get("$ref"), str):
        part = target(root, schema["$ref"])
        yield part, value, ENDLESS if part is None else again
    if value and isinstance(value, dict | list | tuple) and any(word in schema for word in MEMBERS):
        yield None, value, len(value)  # going through the members is work too, even where none is judged
        yield from of_names(schema, value) if isinstance(value, dict) else of_positions(schema, value)


def beside(schema: dict[str, Any]) -> Iterator[Any]:
    for word in LISTS:
        yield from as_list(schema.get(word))
    for word in DEPENDENT:
        yield from as_dict(schema.get(word)).values()
    yield from (schema[word] for word in SINGLE if word in schema)


def of_names(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[SchemaVisit]:
    """The visits of an object's members; each is taken to fit every pattern."""
    own = as_dict(schema.get("properties"))
    rest = [schema[word] for word in UNNAMED if word in schema]
    patterns = list(as_dict(schema.get("patternProperties")).values())
    for name, member in value.items():
        yield from ((part, member, 1) for part in ([own[name]] if name in own else rest) + patterns)
        if "propertyNames" in schema:
            yield schema["propertyNames"], name, 1


def of_positions(schema: dict[str, Any], value: list[Any] | tuple[Any, ...]) -> Iterator[SchemaVisit]:
    for word in POSITIONS:
        yield from ((part, member, 1) for part, member in zip(as_list(schema.get(word)), value, strict=False))
    every = [part for word in ITEMS if isinstance(part := schema.get(word), dict)]
    yield from ((part, member, 1) for part in every for member in value)


def target(root: Any, ref: str) -> Any:
    """The part that a ref like `#/$defs/place` stands for; None where it leads out of the schema or nowhere."""
    start, *steps = unquote(ref).split("/") if len(ref) < LONGEST_REF else [""]
    found = root if start == "#" else None
    for step in steps:
        found = member(found, step.replace("~1", "/").replace("~0", "~"))
        if is_elsewhere(found, root):
            return None
    return found


def member(value: Any, key: str) -> Any:
    if isinstance(value, list):
        place = int(key) if key.isdecimal() else len(value)
        return value[place] if place < len(value) else None
    return as_dict(value).get(key)


def is_elsewhere(schema: Any, root: Any) -> bool:
    """Whether refs in this part begin from the part itself instead of the whole."""
    return schema is not root and any(isinstance(as_dict(schema).get(word), str) for word in IDS)


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
