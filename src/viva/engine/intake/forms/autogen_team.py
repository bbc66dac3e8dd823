"""Reads the messages of an AutoGen team, which version 0.4 and later ones write."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import speakers
from viva.engine.intake.messages import as_text
from viva.engine.intake.plain import as_list, inner_object
from viva.engine.intake.times import overall_ms

TOOL_FAILURE = "Error: "  # begins what AutoGen writes for a tool that raised
TYPE_SUFFIXES = ("Message", "Event")  # of the types of version 0.4
CODE_TOOL = "code_execution"
SILENT_TYPES = (
    "ModelClientStreamingChunkEvent",
    "UserInputRequestedEvent",
    "SelectSpeakerEvent",
    "SelectorEvent",
)  # repeat what a message says, or only direct the team


def is_message(value: object) -> bool:
    """Whether this is a message of version 0.4. A structured one has the class of its content in brackets."""
    if not isinstance(value, dict) or not isinstance(value.get("source"), str):
        return False
    kind = str(value.get("type")).split("[")[0]
    return kind.endswith(TYPE_SUFFIXES) and ("content" in value or kind == "CodeExecutionEvent")


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
        kind, said = message["type"], message.get("content")
        if kind == "ThoughtEvent":
            thought = said
        elif kind not in SILENT_TYPES and not repeats(message, following, last_result):
            yield as_chat(message) | ({"reasoning_content": thought} if thought else {})
            thought = None
        if kind == "ToolCallExecutionEvent" and isinstance(said, list) and said:
            last_result = inner_object(said[-1]).get("content")


def repeats(message: dict[str, Any], following: Any, last_result: Any) -> bool:
    """Whether this only repeats results: of a handoff, or of calls after which the same agent goes on."""
    if message["type"] == "HandoffMessage":
        return bool(message["content"] == last_result)
    is_summary = message["type"] == "ToolCallSummaryMessage"
    return is_summary and bool(inner_object(following).get("source") == message["source"])


def as_chat(message: dict[str, Any]) -> dict[str, Any]:
    """A message of a team. The user is the one whose name says so."""
    said, source = message.get("content"), message["source"]
    if speakers.is_person(source):
        return {"role": "user", "content": as_parts(said)}
    role, make = EVENT_MAKERS.get(message["type"], ("assistant", None))
    named = {"role": role, "name": source}
    return named | {"content": (make(message) if make else as_parts(said)) or [{"type": message["type"], "text": said}]}


def as_parts(said: Any) -> Any:
    """What was said: a text, texts and pictures, or an object, which is told as JSON."""
    if isinstance(said, list):
        return [{"type": "image"} | part if isinstance(part, dict) and "data" in part else part for part in said]
    return as_text(said) if isinstance(said, dict) else said


def make_calls(message: dict[str, Any]) -> list[Any]:
    keys = ("id", "name", "arguments")
    return [{"type": "tool_call"} | {key: part.get(key) for key in keys} for part in objects_in(message)]


def make_results(message: dict[str, Any]) -> list[Any]:
    """The results. Former versions have no mark of an error, but begin its text with a word."""
    return [
        {"type": "tool_result", "id": part.get("call_id")}
        | {key: part.get(key) for key in ("name", "content", "is_error")}
        | {"error": None if "is_error" in part else failure_text(part.get("content"))}
        for part in objects_in(message)
    ]


def make_memory(message: dict[str, Any]) -> list[Any]:
    return [{"type": "text", "text": part.get("content")} for part in objects_in(message)]


def make_code(message: dict[str, Any]) -> list[Any]:
    """Code that is run next, with the words around it."""
    blocks = [inner_object(block).get("code") for block in as_list(message.get("code_blocks"))]
    code = "\n\n".join(block for block in blocks if isinstance(block, str))
    return [message["content"], {"type": "tool_call", "name": CODE_TOOL, "arguments": {"code": code}}]


def make_code_result(message: dict[str, Any]) -> list[Any]:
    ran = inner_object(message, "result")
    failed = ran.get("exit_code") not in (0, None)
    return [{"type": "tool_result", "name": CODE_TOOL, "content": ran.get("output"), "is_error": failed}]


def objects_in(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in as_list(message.get("content")) if isinstance(part, dict)]


EVENT_MAKERS = {
    "ToolCallRequestEvent": ("assistant", make_calls),
    "ToolCallExecutionEvent": ("tool", make_results),
    "MemoryQueryEvent": ("system", make_memory),
    "CodeGenerationEvent": ("assistant", make_code),
    "CodeExecutionEvent": ("tool", make_code_result),
}


def failure_text(said: object) -> str | None:
    """The error in what a tool has returned, as AutoGen writes it."""
    return said.removeprefix(TOOL_FAILURE) if isinstance(said, str) and said.startswith(TOOL_FAILURE) else None
