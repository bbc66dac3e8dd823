"""Finds the chat messages in what a model was given or answered, as libraries record it: a request, a response, a state.

Exporters encode these values as texts, sometimes twice, so each text is decoded first. An empty list means that there are none.
"""

import re
from itertools import islice
from typing import Any

from viva.engine.intake.plain import decode_literal, decode_value, first_value

LANGCHAIN_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "chat": "user"}
ITEM_ROLES = {
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "reasoning": "assistant",
    "tool_call": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}  # items of OpenAI's Responses that have no role
TEXT_KEYS = ("content", "parts", "blocks", "text")  # where a message has what it says
LIST_KEYS = ("messages", "contents", "input", "prompt", "output", "replies", "new_message", "message")
WRITTEN_ROLE = re.compile(r"^(?P<role>system|user|human|assistant|ai): ", re.M | re.I)
PROMPTED_ROLE = re.compile(r"\n(?:assistant|ai):\s{0,9}\Z", re.I)  # the last line asks the model to go on
WRITTEN_ROLES = {"human": "user", "ai": "assistant"}
MAX_WRITTEN_MESSAGES = 1000  # of a prompt in one text; more lines that look so are a document's
ONLY_TEXT_KEYS = ("input", "question", "query", "text", "output", "answer", "result", "content")
MAX_UNWRAPPING_LEVELS = 6  # a response in an envelope in a list is three


def find_messages(value: Any, level: int = 0) -> list[dict[str, Any]]:
    """The messages in a value, each with a role."""
    value = decode_payload(value)
    if level > MAX_UNWRAPPING_LEVELS:
        return []
    if isinstance(value, list):
        return find_in_list(value, level)
    if not isinstance(value, dict):
        return []
    return [made] if (made := as_message(value)) else find_in_object(value, level)


def find_written_messages(text: str) -> list[dict[str, Any]]:
    """The messages of a prompt that is one text, in which each begins with its role on a line of its own."""
    text = PROMPTED_ROLE.sub("", text)
    found = list(islice(WRITTEN_ROLE.finditer(text), MAX_WRITTEN_MESSAGES + 1))
    roles = [mark["role"].lower() for mark in found]
    if (
        not found
        or len(found) > MAX_WRITTEN_MESSAGES
        or found[0].start()
        or "user" not in [WRITTEN_ROLES.get(role, role) for role in roles]
    ):
        return []
    ends = [*(mark.start() for mark in found[1:]), len(text)]
    return [
        {"role": WRITTEN_ROLES.get(role, role), "content": text[mark.end() : end].strip()}
        for role, mark, end in zip(roles, found, ends, strict=True)
    ]


def only_text(value: object) -> str | None:
    """The text of an object with one field, or with one field that is known to have it."""
    fields = value if isinstance(value, dict) else {}
    texts = [
        part for key, part in fields.items() if isinstance(part, str) and (key in ONLY_TEXT_KEYS or len(fields) == 1)
    ]
    return texts[0] if len(texts) == 1 else None


def find_in_list(values: list[Any], level: int) -> list[dict[str, Any]]:
    """A list of messages, of calls, or of such lists, as LangChain batches them."""
    values = [decode_payload(part) if isinstance(part, str) else part for part in values]
    if values and isinstance(values[0], list):
        return find_messages(values[0], level + 1)
    if values and all(isinstance(part, dict) and is_call(part) for part in values):
        return [as_calls(values)]
    if values and all(isinstance(part, dict) and isinstance(part.get("message"), dict) for part in values):
        return find_messages(values[0]["message"], level + 1)  # choices, of which the first counts
    found = [made for part in values if isinstance(part, dict) and (made := as_message(part))]
    return found if len(found) == len(values) else []


def find_in_object(value: dict[str, Any], level: int) -> list[dict[str, Any]]:
    """The messages of a request or a response, after its instructions."""
    if choices := first_value(value, "choices", "candidates", "generations"):
        first = choices[0] if isinstance(choices, list) and choices else None
        first = first[0] if isinstance(first, list) and first else first
        return find_messages(first_value(first, "message", "content"), level + 1) if isinstance(first, dict) else []
    for key in LIST_KEYS:
        if value.get(key) is None:
            continue
        found = find_messages(value[key], level + 1)
        if not found and isinstance(value[key], str) and key in ("prompt", "input", "message", "contents"):
            found = [{"role": "user", "content": value[key]}]
        if found:
            return [*instructions(value), *found]
    content = value.get("content")
    return find_messages(content, level + 1) if isinstance(content, dict | list) else []


def instructions(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The system message that a request carries beside its messages."""
    config = request.get("config")
    places = [request, *([config] if isinstance(config, dict) else [])]
    keys = ("system", "instructions", "system_instruction", "systemInstruction")
    found = next((known for place in places if (known := first_value(place, *keys))), None)
    if isinstance(found, dict) and "parts" in found:
        found = found["parts"]
    return [{"role": "system", "content": found}] if isinstance(found, str | list) else []


def as_message(value: dict[str, Any]) -> dict[str, Any] | None:
    """A message with its role, from any library; None if this is no message."""
    kind = value.get("type")
    if isinstance(value.get("role"), str) and any(key in value for key in (*TEXT_KEYS, "tool_calls", "toolCalls")):
        return with_calls(value)
    if isinstance(kind, str) and "content" in value and (kind in LANGCHAIN_ROLES or kind in ("system", "tool")):
        return with_calls(value | {"role": LANGCHAIN_ROLES.get(kind, kind)})
    if isinstance(kind, str) and kind in ITEM_ROLES:
        return {"role": ITEM_ROLES[kind], "content": [value]}
    if isinstance(value.get("parts"), list):
        return {"role": "user", **value}
    kwargs = value.get("kwargs")
    return as_serialized(value, kwargs) if isinstance(kwargs, dict) and value.get("lc") else None


def as_serialized(value: dict[str, Any], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """A message as LangChain serializes its classes: `{"lc": 1, "id": […, "HumanMessage"], "kwargs": …}`."""
    path = value.get("id")
    name = str(path[-1]) if isinstance(path, list) and path else ""
    kind = name.removesuffix("Chunk").removesuffix("Message").lower()
    return as_message({"type": kind, "content": None} | kwargs | {"type": kind}) if kind else None


def with_calls(message: dict[str, Any]) -> dict[str, Any]:
    """The message with its calls and its text where a chat message has them."""
    extra = message.get("additional_kwargs")
    calls = first_value(message, "tool_calls", "toolCalls") or (
        extra.get("tool_calls") if isinstance(extra, dict) else None
    )
    text = first_value(message, *TEXT_KEYS)
    held = text if isinstance(text, str) else None
    if held and not calls and held.lstrip().startswith("[") and "function" in held:
        listed = decode_value(held)
        if isinstance(listed, list) and listed and all(isinstance(part, dict) and is_call(part) for part in listed):
            return message | as_calls(listed)
    inner = text if isinstance(text, dict) and isinstance(text.get("parts"), list) else None
    content = inner["parts"] if inner else text
    known = {key: part for key, part in message.items() if key not in TEXT_KEYS}
    return known | {"content": content} | ({"tool_calls": calls} if isinstance(calls, list) else {})


def as_calls(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """A message that only makes calls."""
    parts = [call if "toolName" not in call else call | {"type": "tool-call"} for call in calls]
    listed = [call for call in parts if "function" in call]
    return {"role": "assistant", "content": [part for part in parts if "function" not in part], "tool_calls": listed}


def is_call(value: dict[str, Any]) -> bool:
    """Whether an object is a call alone: OpenAI's with a function, or Vercel's with a tool's name."""
    function = value.get("function")
    return (isinstance(function, dict) and "name" in function and "role" not in value) or (
        "toolName" in value and "toolCallId" in value and value.get("type") in (None, "tool-call")
    )


def is_definition(message: dict[str, Any]) -> bool:
    """Whether a tool's message defines a tool, as LangChain's handler for Langfuse writes it."""
    content = message.get("content")
    return message.get("role") == "tool" and isinstance(content, dict) and content.get("type") == "function"


def decode_payload(value: Any) -> Any:
    """The value of a text that is JSON or a Python literal. Other values stay unchanged."""
    known = decode_value(value)
    literal = decode_literal(known) if isinstance(known, str) else None
    return known if literal is None else literal
