"""What a schema itself offers for a parameter: the values it may take, and what it is when left out."""

import re
from typing import Any

from viva.engine.calls.asked import Request
from viva.engine.calls.made import ArgumentValue

DEFAULT = re.compile(
    r"default\w*(?:\s+(?:value|to|is|of|as|will|be|set|the))*[\s:=]*[\"'`]?([\w.+/-]+(?:[ ,]+[\w.+/-]+){0,3})", re.I
)
MARKED = re.compile(r"['\"`]([\w /-]{2,20})['\"`]")
CHOICES = re.compile(r"\b[a-z-]{2,15}(?:, [a-z-]{2,15})*,? or [a-z-]{2,15}\b")


def is_offered(value: ArgumentValue, schema: dict[str, Any]) -> bool:
    """Whether the schema names a value: in its enum, or as "Can be 'summary' or 'detailed'"."""
    text = str(value).lower()
    return value in (schema.get("enum") or ()) or (
        len(text) > 1 and not text.isdigit() and text in description_of(schema)
    )


def description_of(schema: dict[str, Any]) -> str:
    return str(schema.get("description") or "")[:600].lower()


def offered_values(schema: dict[str, Any]) -> list[str]:
    """The values a parameter may take, where they are few and told: its enum, or those its description lists."""
    if isinstance(schema.get("enum"), list):
        return [value.lower() for value in schema["enum"] if isinstance(value, str)]
    text = description_of(schema)
    listed = CHOICES.search(text)
    return [
        *(match[1] for match in MARKED.finditer(text)),
        *(re.split(r", (?:or )?| or ", listed[0]) if listed else []),
    ]


def said_of(schema: dict[str, Any], request: Request) -> list[str]:
    """Those of the values a parameter may take that the request speaks of."""
    return [
        value
        for value in offered_values(schema)
        if value in request.words or (value in request.codes and len(value) > 1)
    ]


def is_default(value: ArgumentValue, schema: dict[str, Any]) -> bool:
    default = default_of(schema).lower().rstrip(".")
    return bool(default) and str(value).lower().rstrip(".") in (default, default.split()[0].rstrip(".,"))


def default_of(schema: dict[str, Any]) -> str:
    """What a parameter is when it is left out: as the schema says, or as its description tells."""
    if schema.get("default") not in (None, ""):
        return str(schema["default"])[:200]
    match = DEFAULT.search(str(schema.get("description") or "")[:500])
    return match[1] if match else ""
