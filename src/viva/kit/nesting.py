"""How deep lists and objects of JSON stand in each other: what one could read, another may have no room to read again."""

from collections.abc import Iterable
from typing import Any

import msgspec

MAX_JSON_DEPTH = 200
NESTED = (dict, list)


def size_of(value: Any) -> int | None:
    """The bytes of the value as JSON; None where it is too deep to be written."""
    try:
        return len(msgspec.json.encode(value))
    except RecursionError:
        return None


def is_deep(value: Any) -> bool:
    """Whether more than DEEPEST stand in each other; looks at every part, so that the size has to be known before."""
    level = nested_in([value])
    for _ in range(MAX_JSON_DEPTH):
        level = [inner for each in level for inner in nested_in(each.values() if isinstance(each, dict) else each)]
        if not level:
            return False
    return True


def nested_in(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, NESTED)]
