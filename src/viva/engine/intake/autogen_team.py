"""Reads the messages of an AutoGen team, which version 0.4 and later ones write."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import speakers
from viva.engine.intake.messages import as_text
from viva.engine.intake.plain import inner_object
from viva.engine.intake.times import overall_ms

TOOL_FAILURE = "Error: "  # begins what AutoGen writes for a tool that raised
TYPE_SUFFIXES = ("Message", "Event")  # of the types of version 0.4
SILENT_TYPES = (
    "ModelClientStreamingChunkEvent",
    "UserInputRequestedEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
    "GroupChatStart",
    "GroupChatTermination",
)  # repeat what a message says, or only direct the team


def is_message(value: object) -> bool:
    """Whether this is a message of version 0.4."""
    if not isinstance(value, dict) or not isinstance(value.get("source"), str) or "content" not in value:
        return False
    return str(value.get("type")).endswith(TYPE_SUFFIXES)


def read(messages: list[Any]) -> dict[str, Any]:
    """The messages of a team. A stream ends with a result that repeats them."""
    told = [message for message in messages if not is_result(message)]
    times = (inner_object(message).get("created_at") for message in told)
    return {"messages": list(as_chats(told)), "total_latency_ms": overall_ms(times)}


def is_result(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list) and "source" not in value


def as_chats(messages: list[Any]) -> Iterator[Any]:
    """The messages of a team as chat messages. A thought goes to the message that it precedes."""
    thought, last_result = None, None
    for message, following in zip(messages, [*messages[1:], None], strict=True):
        if not is_message(message):
            yield message  # the reader of chats says what is wrong
            continue
        kind, said = message["type"], message["content"]
        if kind == "ThoughtEvent":
            thought = said
        elif kind not in SILENT_TYPES and not repeats(message, following, last_result):
            yield as_chat(kind, said, message["source"]) | ({"reasoning_content": thought} if thought else {})
            thought = None
        if kind == "ToolCallExecutionEvent" and isinstance(said, list) and said:
            last_result = inner_object(said[-1]).get("content")


def repeats(message: dict[str, Any], following: Any, last_result: Any) -> bool:
    """Whether this only repeats results: of a handoff, or of calls after which the same agent goes on."""
    if message["type"] == "HandoffMessage":
        return bool(message["content"] == last_result)
    is_summary = message["type"] == "ToolCallSummaryMessage"
    return is_summary and bool(inner_object(following).get("source") == message["source"])


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
    """A result. Former versions have no mark of an error, but begin its text with a word."""
    known = {key: part.get(key) for key in ("name", "content", "is_error")}
    failed = None if "is_error" in part else failure_text(part.get("content"))
    return {"type": "tool_result", "id": part.get("call_id"), "error": failed} | known


def make_memory(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": part.get("content")}


EVENT_ROLES = {"ToolCallRequestEvent": "assistant", "ToolCallExecutionEvent": "tool", "MemoryQueryEvent": "system"}
EVENT_MAKERS = {
    "ToolCallRequestEvent": make_call,
    "ToolCallExecutionEvent": make_result,
    "MemoryQueryEvent": make_memory,
}


def failure_text(said: object) -> str | None:
    """The error in what a tool has returned, as AutoGen writes it."""
    return said.removeprefix(TOOL_FAILURE) if isinstance(said, str) and said.startswith(TOOL_FAILURE) else None
