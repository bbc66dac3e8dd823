"""The content of a chat message: plain text, or parts of text, thought, calls and results."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from viva.engine.intake.messages import Call, Result
from viva.engine.intake.plain import embedded, first

SHOWN = 200  # characters of arguments that are no JSON: enough to see why
TEXT = ("text", "content", "input_text", "output_text")  # where a part of text keeps it
THOUGHTS = ("reasoning", "thinking", "text", "content")


class Parts(NamedTuple):
    """What a message holds."""

    text: str | None = None
    thought: str | None = None
    calls: tuple[Call, ...] = ()
    results: tuple[Result, ...] = ()


def text(value: object) -> str | None:
    return read(value).text


def read(value: object) -> Parts:
    """The parts of a content, joined by their kind."""
    if value is None or isinstance(value, str):
        return Parts(value)
    found: dict[str, list[Any]] = {"text": [], "thought": [], "call": [], "result": []}
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, str):
            found["text"].append(part)
        elif isinstance(part, dict):
            kind, reading = READING.get(str(part.get("type")), PLAIN)
            found[kind].append(reading(part))
    text = "\n".join(found["text"]) if found["text"] else None
    thought = "\n".join(filter(None, found["thought"])) or None
    return Parts(text, thought, tuple(found["call"]), tuple(found["result"]))


def words(part: dict[str, Any]) -> str:
    """A part's text; of a picture or a file only that it is there."""
    return written(part, TEXT) or f"[{part.get('type') or 'part'}]"


def thought(part: dict[str, Any]) -> str:
    return written(part, THOUGHTS)


def part_call(part: dict[str, Any]) -> Call:
    id, name = first(part, "id", "toolCallId", "call_id"), first(part, "name", "toolName")
    return call(id, name, first(part, "arguments", "input", "args"))


def written(part: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((part[key] for key in keys if isinstance(part.get(key), str)), "")


def call(id: object, name: object, arguments: object) -> Call:
    """A call; arguments that are no JSON object are the caller's mistake and become the error of the call."""
    parameters = embedded(arguments or "{}") if isinstance(arguments, str) else arguments
    tool_name = name if isinstance(name, str) else ""
    known_id = id if isinstance(id, str) else None
    if parameters is None and arguments is None:
        return Call(known_id, tool_name, {})
    if isinstance(parameters, dict):
        return Call(known_id, tool_name, parameters)
    return Call(known_id, tool_name, {}, f"the arguments are no JSON object: {str(arguments)[:SHOWN]}")


def result(part: dict[str, Any]) -> Result:
    id = first(part, "tool_use_id", "toolCallId", "call_id", "id")
    value = first(part, "content", "response", "result", "output")
    known = text(value) if isinstance(value, list) else value
    failed = error(part.get("error"))
    if part.get("is_error") is True:
        failed = failed or (known if isinstance(known, str) else json.dumps(known))
    name = first(part, "name", "toolName")
    return Result(id if isinstance(id, str) else None, name if isinstance(name, str) else None, known, failed or None)


def error(value: object) -> str | None:
    """What went wrong, from a text or from an object with a message."""
    if isinstance(value, dict):
        message = value.get("message")
        return message if isinstance(message, str) and message else json.dumps(value)
    return value if isinstance(value, str) and value else None


PLAIN: tuple[str, Callable[[dict[str, Any]], Any]] = ("text", words)
READING: dict[str, tuple[str, Callable[[dict[str, Any]], Any]]] = {
    "reasoning": ("thought", thought),
    "thinking": ("thought", thought),
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
