"""Reads runs of AutoGen: chat histories of version 0.2, messages and task results of version 0.4 and later."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat, speakers
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.messages import as_text
from viva.engine.intake.plain import first_value, inner_object
from viva.engine.intake.times import overall_ms
from viva.engine.model import Trace

OLD_VERSION, NEW_VERSION = "0.2", "0.4"
TOOL_FAILURE = "Error: "  # begins what version 0.2 writes for a tool that raised
TYPE_SUFFIXES = ("Message", "Event")  # of the types of version 0.4
SILENT_TYPES = (
    "ModelClientStreamingChunkEvent",
    "UserInputRequestedEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
    "GroupChatStart",
    "GroupChatTermination",
)  # repeat what a message says, or only direct the team


def recognise(document: object) -> bool:
    """Whether this is a chat's result, a task's result, or a list of messages."""
    if isinstance(document, dict) and isinstance(document.get("chat_history"), list):
        return is_named_chat(document["chat_history"])
    messages = document.get("messages") if isinstance(document, dict) else document
    if not isinstance(messages, list) or not messages:
        return False
    return is_message(messages[0]) or any(isinstance(part, dict) and "tool_responses" in part for part in messages)


def is_named_chat(messages: list[Any]) -> bool:
    return bool(messages) and all(isinstance(part, dict) and "role" in part and "content" in part for part in messages)


def is_message(value: object) -> bool:
    """Whether this is a message of version 0.4."""
    if not isinstance(value, dict) or not isinstance(value.get("source"), str) or "content" not in value:
        return False
    return str(value.get("type")).endswith(TYPE_SUFFIXES)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    if not recognise(document):
        refuse("messages", "missing", "has no messages of AutoGen")
    whole = document if isinstance(document, dict) else {"messages": document}
    found = first_value(whole, "messages", "chat_history")
    is_new = any(map(is_message, found[:1]))
    facts = read_team(found) if is_new else read_chat(found)
    spent = total_cost(whole.get("cost"))
    return chat.read(
        facts | {"total_cost": spent, "form_version": NEW_VERSION if is_new else OLD_VERSION}, name, limits
    )


def read_chat(messages: list[Any]) -> dict[str, Any]:
    """The messages of version 0.2, with the errors of tools marked."""
    return {"messages": [mark_failure(message) for message in messages]}


def mark_failure(message: Any) -> Any:
    """A tool's message whose text says that the tool raised has an error."""
    if not isinstance(message, dict):
        return message
    said, several = message.get("content"), message.get("tool_responses")
    inner = {"tool_responses": [mark_failure(part) for part in several]} if isinstance(several, list) else {}
    is_result = message.get("role") in ("tool", "function")
    failed = said.removeprefix(TOOL_FAILURE) if isinstance(said, str) and said.startswith(TOOL_FAILURE) else None
    return message | inner | ({"error": failed} if is_result and failed else {})


def total_cost(cost: object) -> float | None:
    """The cost that version 0.2 has counted."""
    used = cost.get("usage_including_cached_inference") if isinstance(cost, dict) else None
    total = used.get("total_cost") if isinstance(used, dict) else None
    return float(total) if isinstance(total, int | float) and total >= 0 else None


def read_team(messages: list[Any]) -> dict[str, Any]:
    """The messages of a team. A stream ends with a result that repeats them."""
    told = [message for message in messages if not is_result(message)]
    times = (inner_object(message).get("created_at") for message in told)
    return {"messages": list(as_chats(told)), "total_latency_ms": overall_ms(times)}


def is_result(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list) and "source" not in value


def as_chats(messages: list[Any]) -> Iterator[Any]:
    """The messages of a team as chat messages. A thought goes to the message that it precedes."""
    thought, last_result = None, None
    for message in messages:
        if not is_message(message):
            yield message  # the reader of chats says what is wrong
            continue
        kind, said = message["type"], message["content"]
        if kind == "ThoughtEvent":
            thought = said
        elif kind not in SILENT_TYPES and not (kind == "HandoffMessage" and said == last_result):
            yield as_chat(kind, said, message["source"]) | ({"reasoning_content": thought} if thought else {})
            thought = None
        if kind == "ToolCallExecutionEvent" and isinstance(said, list) and said:
            last_result = inner_object(said[-1]).get("content")


def as_chat(kind: str, said: Any, source: str) -> dict[str, Any]:
    """A message of a team. The user is the one whose name says so."""
    if speakers.is_person(source):
        return {"role": "user", "content": said}
    if make := EVENT_MAKERS.get(kind):
        parts = [make(part) for part in said if isinstance(part, dict)] if isinstance(said, list) else []
        role = EVENT_ROLES[kind]
        return {"role": role, "name": source, "content": parts or [{"type": kind, "text": said}]}
    return {"role": "assistant", "name": source, "content": as_text(said) if isinstance(said, dict) else said}


def make_call(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_call"} | {key: part.get(key) for key in ("id", "name", "arguments")}


def make_result(part: dict[str, Any]) -> dict[str, Any]:
    known = {key: part.get(key) for key in ("name", "content", "is_error")}
    return {"type": "tool_result", "id": part.get("call_id")} | known


def make_memory(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": part.get("content")}


EVENT_ROLES = {"ToolCallRequestEvent": "assistant", "ToolCallExecutionEvent": "tool", "MemoryQueryEvent": "system"}
EVENT_MAKERS = {
    "ToolCallRequestEvent": make_call,
    "ToolCallExecutionEvent": make_result,
    "MemoryQueryEvent": make_memory,
}
