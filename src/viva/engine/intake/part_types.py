"""Tells what kind of part an object in a message is: by its type, or by its keys."""

import re
from typing import Any

from viva.engine.intake.plain import decode_literal, decode_text

# A message, a call or a part of a model's library as Python prints it. Nobody said that.
PYTHON_OBJECT = re.compile(
    r"\s*\[?(?:Response(?:FunctionToolCall|OutputMessage|OutputText|ReasoningItem)|ChatCompletion\w{0,40}"
    r"|(?:AI|Human|System|Tool)Message|(?:Text|ToolUse|Thinking)Block|(?:Text|ToolCall|Thinking)Part"
    r"|Model(?:Response|Request))\(\w{1,40}="
)
KIND_KEYS = ("type", "block_type", "content_type", "part_kind")  # by which libraries name the type of a part
PART_TEXT_KEYS = ("text", "content", "input_text", "output_text", "refusal", "value")  # keys that hold a part's text
PART_THOUGHT_KEYS = (
    *("reasoning", "reasoning_text", "reasoningText", "reasoningContent", "thinking", "text", "content", "summary"),
)
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
    "data": "data for a provider",
    "redacted_thinking": "encrypted reasoning",
    "reasoning.encrypted": "encrypted reasoning",
}  # what is no text, by its type or by its only key
TEXT_TYPES = ("text", "input_text", "output_text", "refusal", "summary_text")
THOUGHT_TYPES = ("reasoning", "thinking")
CALL_TYPES = ("tool_use", "server_tool_use", "tool_call", "server_tool_call", "tool-call", "function_call")
RESULT_TYPES = (
    "tool_result",
    "tool-result",
    "tool_call_response",
    "server_tool_call_response",
    "function_call_output",
    "function_result",
)
MARKER_TYPES = ("step-start",)  # mark a place and say nothing
KNOWN_TYPES = frozenset((*TEXT_TYPES, *THOUGHT_TYPES, *CALL_TYPES, *RESULT_TYPES, *MARKER_TYPES))
INNER_CALL_KEYS = ("functionCall", "function_call", "toolUse", "tool_call")
INNER_RESULT_KEYS = ("functionResponse", "function_response", "toolResult", "tool_call_result")
INNER_THOUGHT_KEYS = ("reasoningContent", "reasoningText", "reasoning_text", "reasoning")
CALL_ID_KEYS = ("call_id", "tool_call_id", "toolCallId", "toolUseId", "id")
TOOL_NAME_KEYS = ("name", "toolName", "tool_name")
ARGUMENT_KEYS = ("arguments", "input", "args", "tool_kwargs", "server_tool_call")
RESULT_KEYS = ("content", "response", "result", "output", "server_tool_call_response")
BEDROCK_KEYS = ("toolUse", "toolResult", "reasoningContent")  # of parts without a type, beside `text`
THOUGHT_FLAG = "thought"  # by which Gemini marks a text
NAMING_KEYS = (
    THOUGHT_FLAG,
    *INNER_CALL_KEYS,
    *INNER_RESULT_KEYS,
    *INNER_THOUGHT_KEYS,
    *PART_TEXT_KEYS,
)  # of parts without a type
PAYLOAD_KEYS = (
    *(*PART_TEXT_KEYS, *PART_THOUGHT_KEYS),
    *("id", "name", "toolName", "toolCallId", "call_id", "tool_use_id"),
)
MEDIA_KEYS = (
    *("source", "url", "data", "image", "image_url", "audio", "input_audio", "file", "file_id", "file_data", "blob"),
    *("uri", "base64", "mime_type", "mimeType", "mediaType", "media_type"),
)


def is_encoded(text: str) -> bool:
    """Whether a text is parts, written as JSON or as a Python literal. Other JSON is what somebody wrote."""
    if not text.lstrip()[:1].startswith(("[", "{", '"')):
        return False
    found = decode_text(text) or decode_literal(text)
    if isinstance(found, list):
        return bool(found) and all(is_part(part) or is_keyed(part) for part in found)
    return is_part(found)


def is_part(value: object) -> bool:
    """Whether an object is surely a part of a content: a known type with what belongs to it."""
    if not isinstance(value, dict):
        return False
    kind = str(value.get("type"))
    keys = MEDIA_KEYS if kind in MEDIA_NOUNS else PAYLOAD_KEYS if kind in KNOWN_TYPES else ()
    return any(value.get(key) is not None for key in keys)


def part_kind(part: dict[str, Any]) -> str:
    """The type of a part; without one, the first known key."""
    for key in KIND_KEYS:
        if isinstance(named := part.get(key), str):
            return named
    return next((key for key in (*NAMING_KEYS, *MEDIA_NOUNS) if part.get(key) is not None), "")


def is_content(values: list[Any], is_named: bool) -> bool:
    """Whether a result is a list of parts. Under another name than `content` it may be any list, so all must be parts."""
    known = [is_part(entry) or is_keyed(entry) for entry in values]
    return any(known) if is_named else bool(known) and all(known)


def is_keyed(value: object) -> bool:
    """Whether an object is a part that only its single key names, as Bedrock has it."""
    if not isinstance(value, dict) or len(value) != 1:
        return False
    return isinstance(value.get("text"), str) or any(isinstance(value.get(key), dict) for key in BEDROCK_KEYS)
