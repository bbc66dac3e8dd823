"""Restores lists and objects whose parts are spread over dotted keys, such as `llm.input_messages.0.message.role`."""

from typing import Any

WRAPPER_KEYS = ("message", "tool_call", "message_content", "tool")
MAX_KEY_PARTS = 12  # names in a dotted key: OpenInference has at most 9
MAX_LIST_ENTRIES = 10_000  # entries of a flattened list that are looked at


def nested_object(attributes: dict[str, Any], prefix: str) -> dict[str, Any]:
    """The object whose parts are spread over attributes that begin with a prefix."""
    return nest_keys({key.removeprefix(prefix): part for key, part in attributes.items() if key.startswith(prefix)})


def unflatten(attributes: dict[str, Any], prefix: str) -> list[Any]:
    """The list whose entries are spread over attributes such as `prefix.0.message.role`."""
    found = unwrap_entries(
        restore_lists(nest_keys({key: attributes[key] for key in attributes if key.startswith(f"{prefix}.")}))
    )
    for name in prefix.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, list) else []


def nest_keys(value: dict[str, Any]) -> dict[str, Any]:
    """The nested object of dotted keys."""
    tree: dict[str, Any] = {}
    for key, part in value.items():
        *path, last = key.split(".", MAX_KEY_PARTS)
        at = tree
        for name in path:
            below = at.setdefault(name, {})
            at = below if isinstance(below, dict) else {}
        at[last] = part
    return tree


def restore_lists(value: Any) -> Any:
    """Turn objects whose keys are all numbers back into lists."""
    if not isinstance(value, dict):
        return value
    parts = {key: restore_lists(part) for key, part in value.items()}
    if parts and all(key.isdecimal() and len(key) < 6 for key in parts):
        return [parts[key] for key in sorted(parts, key=int)[:MAX_LIST_ENTRIES]]
    return parts


def unwrap_entries(value: Any) -> Any:
    """Remove the wrapper that OpenInference puts around each list entry."""
    if isinstance(value, list):
        return [unwrap_entries(part) for part in value]
    if not isinstance(value, dict):
        return value
    if any(key.split(".")[0] in WRAPPER_KEYS for key in value if "." in key):
        value = restore_lists(nest_keys(value))
    if len(value) == 1 and (key := next(iter(value))) in WRAPPER_KEYS:
        return unwrap_entries(value[key])
    return {key: unwrap_entries(part) if isinstance(part, list | dict) else part for key, part in value.items()}
