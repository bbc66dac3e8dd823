"""The depth and size of JSON values. Readers differ in the depth that they can parse, so the hub sets a limit."""

from collections.abc import Iterable
from typing import Any

import msgspec

MAX_JSON_DEPTH = 200
CONTAINERS = (dict, list)


def json_size(value: Any) -> int | None:
    """The size of the value as JSON, or None if it is too deep to encode."""
    try:
        return len(msgspec.json.encode(value))
    except RecursionError:
        return None


def is_too_deep(value: Any) -> bool:
    """Whether lists and objects nest deeper than MAX_JSON_DEPTH. It visits every part, so check the size first."""
    level = containers_in([value])
    for _ in range(MAX_JSON_DEPTH):
        level = [
            inner for outer in level for inner in containers_in(outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return False
    return True


def containers_in(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, CONTAINERS)]
