"""Reads tool definitions of model providers into our own format."""

from typing import Any

SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "parameters_schema", "parameters_json_schema", "schema")


def definitions(value: object) -> list[dict[str, Any]] | None:
    """The tools of a list of definitions; None if there is no list."""
    if not isinstance(value, list):
        return None
    return [tool for part in value if (tool := definition(part))]


def definition(value: object) -> dict[str, Any] | None:
    """One tool, in any of the known layouts; None if it has no name."""
    if isinstance(value, str):
        return {"name": value}
    if not isinstance(value, dict):
        return None
    function = value.get("function")
    details = function if isinstance(function, dict) else value
    name = details.get("name")
    if not isinstance(name, str):
        return None
    schema = next((details[key] for key in SCHEMA_KEYS if isinstance(details.get(key), dict)), None)
    description = details.get("description")
    return {
        "name": name,
        "description": description if isinstance(description, str) else None,
        "parameters_schema": schema,
    }
