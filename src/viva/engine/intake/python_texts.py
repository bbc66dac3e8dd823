"""Reads message parts that an instrumentation wrote as Python shows them, not as JSON."""

import ast
from typing import Any

from viva.engine.intake.part_types import is_part
from viva.engine.intake.plain import MAX_LITERAL_CHARACTERS, decode_literal

CALL_CLASS = "ResponseFunctionToolCall("  # of OpenAI's Python library


def with_parts(message: Any) -> Any:
    """The message with such texts as parts. A call that cannot be read is a part of an unknown type."""
    parts = message.get("parts") if isinstance(message, dict) else None
    return message | {"parts": [read_part(part) for part in parts]} if isinstance(parts, list) else message


def read_part(part: Any) -> Any:
    text = part.get("content") if isinstance(part, dict) and part.get("type") == "text" else None
    if not isinstance(text, str):
        return part
    if text.startswith(CALL_CLASS):
        return read_call(text) or {"type": CALL_CLASS, "content": text}
    shown = decode_literal(text) if text.startswith("{'") else None
    return shown if is_part(shown) else part


def read_call(text: str) -> dict[str, Any] | None:
    """The call in a text such as `ResponseFunctionToolCall(arguments='{}', call_id='c1', name='weather')`."""
    if len(text) > MAX_LITERAL_CHARACTERS:
        return None
    try:
        shown = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    values = {part.arg: part.value for part in shown.keywords} if isinstance(shown, ast.Call) else {}
    known = {key: value.value for key, value in values.items() if isinstance(value, ast.Constant)}
    made = {"type": "tool_call", "id": known.get("call_id"), "arguments": known.get("arguments")}
    return made | {"name": known["name"]} if isinstance(known.get("name"), str) else None
