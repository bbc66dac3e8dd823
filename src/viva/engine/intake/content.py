"""Reads the content of a message: plain text, or parts with text, thoughts, calls and results.

A part that is no text (a picture, a file) or has an unknown type is not read. It is listed in `unread` and never becomes words.
"""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from viva.engine.intake import part_types
from viva.engine.intake.messages import IntakeCall, ToolResult, UnreadPart
from viva.engine.intake.part_types import is_content, is_encoded, part_kind
from viva.engine.intake.plain import decode_literal, decode_text, first_value, text_length

MAX_BAD_ARGUMENT_CHARACTERS = 200  # of arguments that are not JSON; enough to see why
MAX_TYPE_CHARACTERS = 40  # of an unknown type that is named
MAX_CONTENT_LEVELS = 8  # contents inside contents: a result in a message in a state


class MessageParts(NamedTuple):
    """The content of a message by kind."""

    text: str | None = None
    thought: str | None = None
    calls: tuple[IntakeCall, ...] = ()
    results: tuple[ToolResult, ...] = ()
    unread: tuple[UnreadPart, ...] = ()


def text(value: object) -> str | None:
    return read(value).text


def read(value: object, path: str = "content") -> MessageParts:
    """The parts of a content, joined by kind. A text that is the JSON of such parts is read as the parts."""
    if value is None or (
        isinstance(value, str) and not is_encoded(value) and not part_types.PYTHON_OBJECT.match(value)
    ):
        return MessageParts(value)
    reader = ContentReader()
    reader.add(value, path)
    return reader.parts()


class ContentReader:
    """Collects the parts of one content."""

    def __init__(self, level: int = 0) -> None:
        self.level = level
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[IntakeCall] = []
        self.results: list[ToolResult] = []
        self.unread: list[UnreadPart] = []
        self.said_before_result = 0  # texts before the last result

    def parts(self) -> MessageParts:
        """The parts. What is said before a result that stands in the same content is a thought."""
        if self.calls:
            self.thoughts += self.texts[: self.said_before_result]
            del self.texts[: self.said_before_result]
        text = "\n".join(self.texts) if self.texts else None
        thought = "\n".join(filter(None, self.thoughts)) or None
        return MessageParts(text, thought, tuple(self.calls), tuple(self.results), tuple(self.unread))

    def add(self, value: object, path: str) -> None:
        """Add a text, a part, or each part of a list."""
        if isinstance(value, str) and is_encoded(value):
            value = decode_text(value) or decode_literal(value)
        if isinstance(value, str):
            self.add_string(value, path)
        elif isinstance(value, list):
            for index, part in enumerate(value):
                self.add_part(part, f"{path}[{index}]")
        elif value is not None:
            self.add_part(value, path)

    def add_string(self, value: str, path: str) -> None:
        """Add a text, unless it is an object that a program wrote by its name."""
        if part_types.PYTHON_OBJECT.match(value):
            self.unread.append(UnreadPart(path, "holds a Python object that was written as text", len(value)))
        else:
            self.texts.append(value)

    def add_part(self, part: object, path: str) -> None:
        if isinstance(part, str):
            self.add_string(part, path)
        elif isinstance(part, dict) and self.level < MAX_CONTENT_LEVELS:
            kind = part_kind(part)
            PART_READERS.get(kind, ContentReader.add_unread)(self, part, path)
        elif part is not None:
            self.unread.append(UnreadPart(path, "is no part of a message", text_length(part)))

    def add_text(self, part: dict[str, Any], path: str) -> None:
        found = first_value(part, *part_types.PART_TEXT_KEYS)
        if isinstance(found, str):
            self.add_string(found, path)
        elif found is not None:
            self.add_nested(found, path)

    def add_nested(self, value: object, path: str) -> None:
        inner = ContentReader(self.level + 1)
        inner.add(value, path)
        self.texts += inner.texts
        self.thoughts += inner.thoughts
        self.calls += inner.calls
        self.results += inner.results
        self.unread += inner.unread

    def add_thought(self, part: dict[str, Any], path: str) -> None:
        """A thought, or its summary. A provider may encrypt the thought itself."""
        keys = ("summary",) if part.get("redacted") is True else part_types.PART_THOUGHT_KEYS
        inner = (read(part.get(key)) for key in keys)
        found = next((known for held in inner if (known := held.text or held.thought)), None)
        if found:
            self.thoughts.append(found)
        elif part.get("redacted") is True or part.get("encrypted_content"):
            self.unread.append(UnreadPart(path, "holds encrypted reasoning; only text is read", 0))

    def add_flagged(self, part: dict[str, Any], path: str) -> None:
        """Gemini marks a text as a thought."""
        if isinstance(part.get("thought"), str):
            self.thoughts.append(part["thought"])
        elif part.get("thought") is True:
            self.thoughts.append(text(part.get("text")) or "")
        else:
            self.add_part({key: value for key, value in part.items() if key != "thought"}, path)

    def add_call(self, part: dict[str, Any], path: str) -> None:
        inner = first_value(part, *part_types.INNER_CALL_KEYS)
        made = inner if isinstance(inner, dict) else part
        id, name = first_value(made, *part_types.CALL_ID_KEYS), first_value(made, *part_types.TOOL_NAME_KEYS)
        self.calls.append(call(id, name, first_value(made, *part_types.ARGUMENT_KEYS)))
        if made.get("result") is not None or made.get("error"):
            self.add_result({"id": id, "name": name, "result": made.get("result"), "error": made.get("error")}, path)

    def add_result(self, part: dict[str, Any], path: str) -> None:
        inner = first_value(part, *part_types.INNER_RESULT_KEYS)
        found, unread = read_result(inner if isinstance(inner, dict) else part, path, self.level)
        self.results.append(found)
        self.said_before_result = len(self.texts)
        self.unread += [part._replace(is_in_result=True) for part in unread]

    def add_unread(self, part: dict[str, Any], path: str) -> None:
        """List a part that is no text. The data of a picture has no words, so its length does not count."""
        kind = part_kind(part)
        if kind in part_types.MEDIA_NOUNS:
            self.unread.append(UnreadPart(path, f"holds {part_types.MEDIA_NOUNS[kind]}; only text is read", 0))
        else:
            named = f"has the unknown type {kind[:MAX_TYPE_CHARACTERS]!r}" if kind else "has no type that is known"
            self.unread.append(UnreadPart(path, named, text_length(part)))

    def skip(self, part: dict[str, Any], path: str) -> None:
        """A part that marks a place and says nothing."""


PartReader = Callable[[ContentReader, dict[str, Any], str], None]
TYPE_READERS: dict[str, PartReader] = {
    **dict.fromkeys(part_types.TEXT_TYPES, ContentReader.add_text),
    **dict.fromkeys(part_types.THOUGHT_TYPES, ContentReader.add_thought),
    **dict.fromkeys(part_types.CALL_TYPES, ContentReader.add_call),
    **dict.fromkeys(part_types.RESULT_TYPES, ContentReader.add_result),
    **dict.fromkeys(part_types.MARKER_TYPES, ContentReader.skip),
}
KEY_READERS: dict[str, PartReader] = {
    part_types.THOUGHT_FLAG: ContentReader.add_flagged,
    **dict.fromkeys(part_types.INNER_CALL_KEYS, ContentReader.add_call),
    **dict.fromkeys(part_types.INNER_RESULT_KEYS, ContentReader.add_result),
    **dict.fromkeys(part_types.INNER_THOUGHT_KEYS, ContentReader.add_thought),
    **dict.fromkeys(part_types.PART_TEXT_KEYS, ContentReader.add_text),
}  # for parts without a type
PART_READERS: dict[str, PartReader] = KEY_READERS | TYPE_READERS


def call(id: object, name: object, arguments: object) -> IntakeCall:
    """A call. Arguments that are not a JSON object become the call's error."""
    parameters = decode_text(arguments or "{}") if isinstance(arguments, str) else arguments
    tool_name = name if isinstance(name, str) else ""
    known_id = id if isinstance(id, str) else None
    if parameters is None and arguments is None:
        return IntakeCall(known_id, tool_name, {})
    if isinstance(parameters, dict):
        return IntakeCall(known_id, tool_name, parameters)
    return IntakeCall(
        known_id, tool_name, {}, f"the arguments are no JSON object: {str(arguments)[:MAX_BAD_ARGUMENT_CHARACTERS]}"
    )


def read_result(part: dict[str, Any], path: str, level: int = 0) -> tuple[ToolResult, list[UnreadPart]]:
    """The result in a part, and what of it is no text."""
    origin = part.get("origin")  # the call, as Haystack repeats it
    id = first_value(origin if isinstance(origin, dict) else part, "tool_use_id", *part_types.CALL_ID_KEYS)
    value, kind = unwrap_output(first_value(part, *part_types.RESULT_KEYS))
    unread: list[UnreadPart] = []
    if isinstance(value, list) and is_content(value, "content" in part):
        inner = ContentReader(level + 1)
        inner.add(value, f"{path}.content")
        value, unread = inner.parts().text, inner.unread
    failed = error(part.get("error"))
    if True in (part.get("is_error"), part.get("error")) or part.get("status") == "error" or kind.startswith("error"):
        failed = failed or (value if isinstance(value, str) else json.dumps(value))
    name = first_value(part, *part_types.TOOL_NAME_KEYS)
    known_id, known_name = id if isinstance(id, str) else None, name if isinstance(name, str) else None
    return ToolResult(known_id, known_name, value, failed or None), unread


def unwrap_output(value: Any) -> tuple[Any, str]:
    """The value in Vercel's wrapper `{"type": "json", "value": …}`, and its type."""
    if isinstance(value, dict) and value.keys() == {"type", "value"} and isinstance(value["type"], str):
        return value["value"], value["type"]
    return value, ""


def error(value: object) -> str | None:
    """The error message of a text or of an object."""
    if isinstance(value, dict):
        message = value.get("message")
        return message if isinstance(message, str) and message else json.dumps(value)
    return value if isinstance(value, str) and value else None
