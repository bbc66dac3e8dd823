"""Reads the span of a tool's call: its arguments, its result or its error, and what it says about the tool."""

from typing import Any

from viva.engine.intake import content
from viva.engine.intake.flattening import nested_object
from viva.engine.intake.messages import ToolResult
from viva.engine.intake.part_types import is_encoded
from viva.engine.intake.span import Span, known_json

TOOL_KEYS = ("gen_ai.tool.name", "tool.name")
CALL_KEYS = ("gen_ai.tool.call.id", "tool_call.id", "tool.id")
ARGUMENT_KEYS = ("gen_ai.tool.call.arguments", "input.value")
# OpenInference and Strands: what the tool takes, not what it was given
SCHEMA_KEYS = ("tool.parameters", "tool.json_schema", "gen_ai.tool.json_schema")
DESCRIPTION_KEYS = ("tool.description", "gen_ai.tool.description")
FLAT_SCHEMA_PREFIX = "tool.parameters."
RESULT_KEYS = ("gen_ai.tool.call.result", "output.value")
SPAN_NAME_PREFIX = "execute_tool "


def tool_name(span: Span) -> str | None:
    named = span.first(TOOL_KEYS) or span.name.removeprefix(SPAN_NAME_PREFIX)
    return str(named) if named else None


def tool_result(span: Span) -> ToolResult:
    """What the call of a tool gave, with its duration."""
    value, id, error = known_json(span.first(RESULT_KEYS) or event_result(span)), span.first(CALL_KEYS), span.error
    if message := tool_message(value):
        error = error or (str(message["content"]) if message.get("status") == "error" else None)
        value, id = known_json(message["content"]), id or message.get("tool_call_id")
    return ToolResult(str(id) if id else None, tool_name(span), value, error, span.latency_ms, call_arguments(span))


def event_field(span: Span, event: str, key: str) -> Any:
    """A field of an event of a span: Strands records there what a tool was given and gave."""
    return next((fields[key] for name, fields in span.events if name == event and key in fields), None)


def event_result(span: Span) -> Any:
    found = event_field(span, "gen_ai.choice", "message")
    return content.text(found) if isinstance(found, str) and is_encoded(found) else found


def tool_message(value: Any) -> dict[str, Any] | None:
    """The message that LangChain makes of a result."""
    if not isinstance(value, dict) or value.get("type") != "tool":
        return None
    found = value["data"] if isinstance(value.get("data"), dict) else value
    return found if "content" in found else None


def call_arguments(span: Span) -> dict[str, Any]:
    """The arguments of a call: an object, the keyword arguments of a Python function, or a single text."""
    given = known_json(span.first(ARGUMENT_KEYS) or event_field(span, "gen_ai.tool.message", "content"))
    if given is None:
        schema = parameters(span)
        return schema if isinstance(schema, dict) and not is_schema(schema) else {}
    if isinstance(given, dict):
        named = given.get("kwargs")
        is_only = given.keys() <= {"args", "kwargs"} and not given.get("args")
        return named if isinstance(named, dict) and is_only else given
    return {"input": given}


def parameters(span: Span) -> Any:
    """What a span has under the tool's parameters: JSON, or flattened as Phoenix does."""
    return known_json(span.first(SCHEMA_KEYS)) or nested_object(span.attributes, FLAT_SCHEMA_PREFIX) or None


def described_tool(name: str, span: Span) -> dict[str, Any]:
    """The tool of a call as its span describes it."""
    schema, about = parameters(span), span.first(DESCRIPTION_KEYS)
    if not isinstance(schema, dict) or not is_schema(schema):
        return {"name": name}
    whole = schema if "properties" in schema else {"type": "object", "properties": schema}
    return {"name": name, "description": about if isinstance(about, str) else None, "parameters_schema": whole}


def is_schema(value: dict[str, Any]) -> bool:
    """Whether an object describes parameters instead of having their values."""
    if isinstance(value.get("properties"), dict):
        return True
    return bool(value) and all(isinstance(part, dict) and "type" in part for part in value.values())
