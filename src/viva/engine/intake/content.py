"""Reads the content of a message: plain text, or parts with text, thoughts, calls and results.

A part that is no text (a picture, a file) or has an unknown type is not read. It is listed in `unread` and never becomes words.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from viva.engine.intake.messages import IntakeCall, ToolResult, UnreadPart
from viva.engine.intake.plain import decode_literal, decode_text, first_value, text_length

MAX_BAD_ARGUMENT_CHARACTERS = 200  # of arguments that are not JSON; enough to see why
MAX_TYPE_CHARACTERS = 40  # of an unknown type that is named
MAX_CONTENT_LEVELS = 8  # contents inside contents: a result in a message in a state
# A message, a call or a part of a model's library as Python prints it. Nobody said that.
PYTHON_OBJECT = re.compile(
    r"\s*\[?(?:Response(?:FunctionToolCall|OutputMessage|OutputText|ReasoningItem)|ChatCompletion\w{0,40}"
    r"|(?:AI|Human|System|Tool)Message|(?:Text|ToolUse|Thinking)Block|(?:Text|ToolCall|Thinking)Part"
    r"|Model(?:Response|Request))\(\w{1,40}="
)
PART_TEXT_KEYS = ("text", "content", "input_text", "output_text", "refusal", "value")  # keys that hold a part's text
PART_THOUGHT_KEYS = ("reasoning", "thinking", "text", "content", "summary")
MEDIA_NOUNS = {
    "image": "an image",
    "image_url": "an image",
    "input_image": "an image",
    "image_file": "an image",
    "computer_screenshot": "an image",
    "audio": "audio",
    "input_audio": "audio",
    "output_audio": "audio",
    "video": "a video",
    "video_url": "a video",
    "file": "a file",
    "input_file": "a file",
    "document": "a file",
    "container_upload": "a file",
    "blob": "a file",
    "uri": "a file",
    "media": "a file",
    "inline_data": "a file",
    "inlineData": "a file",
    "file_data": "a file",
    "fileData": "a file",
    "redacted_thinking": "encrypted reasoning",
    "reasoning.encrypted": "encrypted reasoning",
}  # what is no text, by its type or by its only key


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
    if value is None or (isinstance(value, str) and not is_encoded(value) and not PYTHON_OBJECT.match(value)):
        return MessageParts(value)
    reader = ContentReader()
    reader.add(value, path)
    return reader.parts()


def is_encoded(text: str) -> bool:
    """Whether a text is parts, written as JSON or as a Python literal. Other JSON is what somebody wrote."""
    if not text.lstrip()[:1].startswith(("[", "{", '"')):
        return False
    found = decode_text(text) or decode_literal(text)
    listed = found if isinstance(found, list) else [found]
    return bool(listed) and all(map(is_part, listed))


def is_part(value: object) -> bool:
    """Whether an object is surely a part of a content: a known type with what belongs to it."""
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    keys = MEDIA_KEYS if kind in MEDIA_NOUNS else PAYLOAD_KEYS if kind in TYPE_READERS else ()
    return any(value.get(key) is not None for key in keys)


class ContentReader:
    """Collects the parts of one content."""

    def __init__(self, level: int = 0) -> None:
        self.level = level
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: list[IntakeCall] = []
        self.results: list[ToolResult] = []
        self.unread: list[UnreadPart] = []

    def parts(self) -> MessageParts:
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
        if PYTHON_OBJECT.match(value):
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
        found = first_value(part, *PART_TEXT_KEYS)
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
        keys = ("summary",) if part.get("redacted") is True else PART_THOUGHT_KEYS
        found = next((known for key in keys if (known := text(part.get(key)))), None)
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
        inner = first_value(part, *INNER_CALL_KEYS)
        made = inner if isinstance(inner, dict) else part
        id, name = first_value(made, "call_id", "toolCallId", "toolUseId", "id"), first_value(made, "name", "toolName")
        self.calls.append(call(id, name, first_value(made, "arguments", "input", "args")))
        if made.get("result") is not None or made.get("error"):
            self.add_result({"id": id, "name": name, "result": made.get("result"), "error": made.get("error")}, path)

    def add_result(self, part: dict[str, Any], path: str) -> None:
        inner = first_value(part, *INNER_RESULT_KEYS)
        found, unread = read_result(inner if isinstance(inner, dict) else part, path, self.level)
        self.results.append(found)
        self.unread += [part._replace(is_in_result=True) for part in unread]

    def add_unread(self, part: dict[str, Any], path: str) -> None:
        """List a part that is no text. The data of a picture has no words, so its length does not count."""
        kind = part_kind(part)
        if kind in MEDIA_NOUNS:
            self.unread.append(UnreadPart(path, f"holds {MEDIA_NOUNS[kind]}; only text is read", 0))
        else:
            named = f"has the unknown type {kind[:MAX_TYPE_CHARACTERS]!r}" if kind else "has no type that is known"
            self.unread.append(UnreadPart(path, named, text_length(part)))

    def skip(self, part: dict[str, Any], path: str) -> None:
        """A part that marks a place and says nothing."""


PartReader = Callable[[ContentReader, dict[str, Any], str], None]
INNER_CALL_KEYS = ("functionCall", "function_call", "toolUse")
INNER_RESULT_KEYS = ("functionResponse", "function_response", "toolResult")
TYPE_READERS: dict[str, PartReader] = {
    "text": ContentReader.add_text,
    "input_text": ContentReader.add_text,
    "output_text": ContentReader.add_text,
    "refusal": ContentReader.add_text,
    "summary_text": ContentReader.add_text,
    "reasoning": ContentReader.add_thought,
    "thinking": ContentReader.add_thought,
    "tool_use": ContentReader.add_call,
    "server_tool_use": ContentReader.add_call,
    "tool_call": ContentReader.add_call,
    "tool-call": ContentReader.add_call,
    "function_call": ContentReader.add_call,
    "tool_result": ContentReader.add_result,
    "tool-result": ContentReader.add_result,
    "tool_call_response": ContentReader.add_result,
    "function_call_output": ContentReader.add_result,
    "step-start": ContentReader.skip,
}
KEY_READERS: dict[str, PartReader] = {
    "thought": ContentReader.add_flagged,
    **dict.fromkeys(INNER_CALL_KEYS, ContentReader.add_call),
    **dict.fromkeys(INNER_RESULT_KEYS, ContentReader.add_result),
    **dict.fromkeys(PART_TEXT_KEYS, ContentReader.add_text),
}  # for parts without a type
PART_READERS: dict[str, PartReader] = KEY_READERS | TYPE_READERS
PAYLOAD_KEYS = (
    *(*PART_TEXT_KEYS, *PART_THOUGHT_KEYS),
    *("id", "name", "toolName", "toolCallId", "call_id", "tool_use_id"),
)
MEDIA_KEYS = (
    *("source", "url", "data", "image", "image_url", "audio", "input_audio", "file", "file_id", "file_data", "blob"),
    *("uri", "base64", "mime_type", "mimeType", "mediaType", "media_type"),
)


def part_kind(part: dict[str, Any]) -> str:
    """The type of a part; without one, the first known key."""
    named = part.get("type")
    if isinstance(named, str):
        return named
    return next((key for key in (*KEY_READERS, *MEDIA_NOUNS) if part.get(key) is not None), "")


def is_content(values: list[Any], is_named: bool) -> bool:
    """Whether a result is a list of parts. Under another name than `content` it may be any list, so all must be parts."""
    known = [is_part(entry) or is_keyed(entry) for entry in values]
    return any(known) if is_named else bool(known) and all(known)


def is_keyed(value: object) -> bool:
    """Whether an object is a part that only its single key names, as Bedrock has it."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get("text"), str)


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
    id = first_value(part, "tool_use_id", "toolCallId", "call_id", "toolUseId", "id")
    value, kind = unwrap_output(first_value(part, "content", "response", "result", "output"))
    unread: list[UnreadPart] = []
    if isinstance(value, list) and is_content(value, "content" in part):
        inner = ContentReader(level + 1)
        inner.add(value, f"{path}.content")
        value, unread = inner.parts().text, inner.unread
    failed = error(part.get("error"))
    if part.get("is_error") is True or part.get("status") == "error" or kind.startswith("error"):
        failed = failed or (value if isinstance(value, str) else json.dumps(value))
    name = first_value(part, "name", "toolName")
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
