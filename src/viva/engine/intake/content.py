"""Reads the content of a chat message: plain text, or parts with text, thoughts, calls and results."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from viva.engine.intake.messages import IntakeCall, ToolResult
from viva.engine.intake.plain import first_value, parse_embedded_json

MAX_BAD_ARGUMENT_CHARACTERS = 200  # of arguments that are not JSON; enough to see why
PART_TEXT_KEYS = ("text", "content", "input_text", "output_text")  # keys that hold a part's text
PART_THOUGHT_KEYS = ("reasoning", "thinking", "text", "content")


class MessageParts(NamedTuple):
    """The content of a message by kind."""

    text: str | None = None
    thought: str | None = None
    calls: tuple[IntakeCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


def text(value: object) -> str | None:
    return read(value).text


def read(value: object) -> MessageParts:
    """The parts of a content, joined by kind."""
    if value is None or isinstance(value, str):
        return MessageParts(value)
    found: dict[str, list[Any]] = {"text": [], "thought": [], "call": [], "result": []}
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            found["text"].append(part)
        elif isinstance(part, dict):
            kind, read_part = PART_READERS.get(str(part.get("type")), TEXT_PART)
            found[kind].append(read_part(part))
    text = "\n".join(found["text"]) if found["text"] else None
    thought = "\n".join(filter(None, found["thought"])) or None
    return MessageParts(text, thought, tuple(found["call"]), tuple(found["result"]))


def part_text(part: dict[str, Any]) -> str:
    """A part's text. For a picture or a file, only its type."""
    return first_text(part, PART_TEXT_KEYS) or f"[{part.get('type') or 'part'}]"


def thought_text(part: dict[str, Any]) -> str:
    return first_text(part, PART_THOUGHT_KEYS)


def part_call(part: dict[str, Any]) -> IntakeCall:
    id, name = first_value(part, "id", "toolCallId", "call_id"), first_value(part, "name", "toolName")
    return call(id, name, first_value(part, "arguments", "input", "args"))


def first_text(part: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((part[key] for key in keys if isinstance(part.get(key), str)), "")


def call(id: object, name: object, arguments: object) -> IntakeCall:
    """A call. Arguments that are not a JSON object become the call's error."""
    parameters = parse_embedded_json(arguments or "{}") if isinstance(arguments, str) else arguments
    tool_name = name if isinstance(name, str) else ""
    known_id = id if isinstance(id, str) else None
    if parameters is None and arguments is None:
        return IntakeCall(known_id, tool_name, {})
    if isinstance(parameters, dict):
        return IntakeCall(known_id, tool_name, parameters)
    return IntakeCall(
        known_id, tool_name, {}, f"the arguments are no JSON object: {str(arguments)[:MAX_BAD_ARGUMENT_CHARACTERS]}"
    )


def result(part: dict[str, Any]) -> ToolResult:
    id = first_value(part, "tool_use_id", "toolCallId", "call_id", "id")
    value = first_value(part, "content", "response", "result", "output")
    known = text(value) if isinstance(value, list) else value
    failed = error(part.get("error"))
    if part.get("is_error") is True:
        failed = failed or (known if isinstance(known, str) else json.dumps(known))
    name = first_value(part, "name", "toolName")
    return ToolResult(
        id if isinstance(id, str) else None, name if isinstance(name, str) else None, known, failed or None
    )


def error(value: object) -> str | None:
    """The error message of a text or of an object."""
    if isinstance(value, dict):
        message = value.get("message")
        return message if isinstance(message, str) and message else json.dumps(value)
    return value if isinstance(value, str) and value else None


TEXT_PART: tuple[str, Callable[[dict[str, Any]], Any]] = ("text", part_text)
PART_READERS: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "reasoning": ("thought", thought_text),
    "thinking": ("thought", thought_text),
    "tool_use": ("call", part_call),
    "server_tool_use": ("call", part_call),
    "tool_call": ("call", part_call),
    "tool-call": ("call", part_call),
    "function_call": ("call", part_call),
    "tool_result": ("result", result),
    "tool-result": ("result", result),
    "tool_call_response": ("result", result),
    "function_call_output": ("result", result),
}
