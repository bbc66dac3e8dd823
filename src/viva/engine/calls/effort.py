"""How much work it is to hold arguments against a schema: parts that refer to one another can multiply it without end."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

VISITS = 4_000  # of parts of a schema for one call; ordinary ones take some tens
VISITS_PER_BYTE = 4  # more for long arguments: of a list of points each takes some four, and has a dozen bytes
ENDLESS = 10**9  # visits of a part that cannot be followed
LONGEST_REF = 1_000  # characters; it is taken apart at every visit
MULTIPLY = (b'"$ref"', b'"$dynamicRef"', b'"$recursiveRef"', b'"unevaluated')  # else a part meets a value once at most
FOR_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
BY_NAME = ("dependentSchemas", "dependencies", "patternProperties")  # hold a part for each name
UNNAMED = ("additionalProperties", "unevaluatedProperties")
UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
FOR_MEMBERS = (*"items prefixItems contains additionalItems propertyNames patternProperties".split(), *UNEVALUATED)
LOOKED_AGAIN = 3  # times that the validator goes through what stands beside an unevaluated part
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
        for part, met, more in visits(schema, value, root) if isinstance(schema, dict) else ():
            left -= times * more
            if left < 0:
                return False
            waiting.append((part, met, times * more))
    return True


def visits(schema: dict[str, Any], value: Any, root: Any) -> Iterator[SchemaVisit]:
    """The visits that follow from one, or some more: each member is taken to fit every pattern."""
    if any(word in schema for word in DYNAMIC) or is_elsewhere(schema, root):
        yield None, value, ENDLESS
    again = LOOKED_AGAIN if any(word in schema for word in UNEVALUATED) else 1
    if isinstance(schema.get("$ref"), str):
        part = target(root, schema["$ref"])
        yield part, value, ENDLESS if part is None else again
    for word in (*FOR_VALUE, *BY_NAME[:2]):
        yield from ((part, value, again) for part in parts_of(schema, word))
    own = as_dict(schema.get("properties"))
    named = as_dict(value)
    members = list(named.values()) if named else value if isinstance(value, list | tuple) else []
    if members and any(word in schema for word in (*FOR_MEMBERS, *UNNAMED, "properties")):
        yield None, value, len(members)  # going through the members is work too, even where none is judged
    yield from ((own[name], member, 1) for name, member in named.items() if name in own)
    rest = [member for name, member in named.items() if name not in own]
    yield from ((part, member, 1) for part in parts_of(schema, "additionalProperties") for member in rest)
    for word in FOR_MEMBERS:
        yield from ((part, member, 1) for part in parts_of(schema, word) for member in members)


def parts_of(schema: dict[str, Any], word: str) -> list[Any]:
    """The parts under one word of a schema: a list of them, one for each name, or a single one."""
    found = schema.get(word)
    if isinstance(found, list):
        return found
    return list(as_dict(found).values()) if word in BY_NAME else [] if found is None else [found]


def target(root: Any, ref: str) -> Any:
    """The part that a ref like `#/$defs/place` stands for; None where it leads out of the schema or nowhere."""
    start, *steps = unquote(ref).split("/") if len(ref) < LONGEST_REF else [""]
    found = root if start == "#" else None
    for step in steps:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(key)] if key.isdecimal() and int(key) < len(found) else None
        else:
            found = as_dict(found).get(key)
        if is_elsewhere(found, root):
            return None
    return found


def is_elsewhere(schema: Any, root: Any) -> bool:
    """Whether refs in this part begin from the part itself instead of the whole."""
    return schema is not root and any(isinstance(as_dict(schema).get(word), str) for word in IDS)


def as_dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
