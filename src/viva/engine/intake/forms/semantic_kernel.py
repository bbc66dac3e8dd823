"""Reads the chat history of Semantic Kernel for .NET. That of Python is read as a chat."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, inner_object
from viva.engine.model import Trace

KIND_KEY, KIND_SUFFIX = "$type", "Content"
CALL, RESULT = "FunctionCall", "FunctionResult"


def recognise(document: object) -> bool:
    """Whether this is a list of messages, or has one."""
    first = next(iter(find_messages(document)), None)
    return isinstance(first, dict) and bool(role_of(first)) and isinstance(first.get("Items"), list)


def find_messages(document: object) -> list[Any]:
    return as_list(document.get("Messages") if isinstance(document, dict) else document)


def role_of(message: dict[str, Any]) -> Any:
    """The role: a text, or an object with a label."""
    return inner_object(message, "Role").get("Label", message.get("Role"))


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a history."""
    if not recognise(document):
        refuse("", "missing", "has no messages of a chat history")
    return chat.read({"messages": [as_chat(message) for message in find_messages(document)]}, name, limits)


def as_chat(message: Any) -> Any:
    if not isinstance(message, dict):
        return message  # the reader of chats says what is wrong
    items = [as_part(item) for item in as_list(message.get("Items"))]
    return {"role": str(role_of(message)).lower(), "name": message.get("AuthorName"), "content": items}


def as_part(item: Any) -> Any:
    """An item as a part. A function is named with its plugin."""
    if not isinstance(item, dict):
        return item
    kind = str(item.get(KIND_KEY)).removesuffix(KIND_SUFFIX)
    name = "-".join(str(item[key]) for key in ("PluginName", "FunctionName") if item.get(key))
    if kind == CALL:
        return {"type": "tool_call", "id": item.get("Id"), "name": name, "arguments": item.get("Arguments")}
    if kind == RESULT:
        return {"type": "tool_result", "id": item.get("CallId"), "name": name, "content": item.get("Result")}
    return {"type": kind.lower(), "text": item.get("Text")}
