"""Reads one message of LangChain, from any of its dumps, as the chat APIs have it."""

from collections.abc import Iterable
from typing import Any

from viva.engine.intake import content, speakers
from viva.engine.intake.plain import as_list, first_value

LANGCHAIN_KINDS = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    "chat": "",  # says its role itself
    "remove": "",
}
SURE_KINDS = ("human", "ai", "system")  # a message with one of these and without a role is LangChain's
DUMP_KEYS = ("additional_kwargs", "response_metadata", "tool_call_id")  # one of these shows a dumped message
CALL_BLOCKS = ("tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta")  # repeat `tool_calls`


def is_message(value: object) -> bool:
    return fields_of(value) is not None


def fields_of(value: object) -> dict[str, Any] | None:
    """The fields of a message with its kind under `type`; None if this is no message of LangChain."""
    if not isinstance(value, dict):
        return None
    inner = value.get("kwargs") if value.get("lc") else value.get("data")
    path = value.get("id")
    kind = path[-1] if value.get("lc") and isinstance(path, list) and path else value.get("type")
    is_chunk = str(kind).endswith("Chunk")
    name = str(kind).removesuffix("Chunk").removesuffix("Message").lower()
    if name not in LANGCHAIN_KINDS:
        return None
    if isinstance(inner, dict):
        return inner | {"type": name, "is_chunk": is_chunk} if "content" in inner else None
    is_dump = "content" in value and (name in SURE_KINDS or any(key in value for key in DUMP_KEYS))
    return value | {"type": name, "is_chunk": is_chunk} if is_dump and "role" not in value else None


def as_chat(fields: dict[str, Any]) -> Any:
    """A message as the chat APIs have it; None for the mark that removes a message."""
    if "other" in fields:
        return fields["other"]  # the reader of chats says what is wrong
    role = LANGCHAIN_KINDS[fields["type"]] or fields.get("role")
    said = fields.get("content")
    if not role:
        return None
    if role in ("tool", "function"):
        failed = {"error": content.text(said) or "failed"} if fields.get("status") == "error" else {}
        return {
            "role": role,
            "content": said,
            "tool_call_id": fields.get("tool_call_id"),
            "name": fields.get("name"),
        } | failed
    if role != "assistant":
        return {"role": role, "content": said} | ({"speaker": fields.get("name")} if role == "user" else {})
    extra = fields.get("additional_kwargs")
    more = extra if isinstance(extra, dict) else {}
    calls = [*as_list(fields.get("tool_calls")), *as_list(fields.get("invalid_tool_calls"))] or more.get("tool_calls")
    return {
        "role": role,
        "name": first_value(fields, "name", "agent"),
        "content": without_calls(said) if calls else said,
        "tool_calls": calls,
        "function_call": None if calls else more.get("function_call"),
        "reasoning_content": more.get("reasoning_content"),
    }


def without_calls(said: Any) -> Any:
    """The content without the blocks that repeat the calls of the message."""
    is_call = [isinstance(part, dict) and part.get("type") in CALL_BLOCKS for part in as_list(said)]
    return [part for part, repeats in zip(said, is_call, strict=True) if not repeats] if any(is_call) else said


def chat_messages(messages: list[Any]) -> list[Any]:
    """The messages as the chat APIs have them. What is no message of LangChain stays unchanged."""
    return tell(as_chat(fields) if (fields := fields_of(message)) else message for message in messages)


def tell(messages: Iterable[Any]) -> list[Any]:
    """The messages that say something. Graphs pass an agent's answer on as a named message of the user."""
    told: list[Any] = []
    for message in messages:
        speaker = message.pop("speaker", None) if isinstance(message, dict) else None
        if isinstance(speaker, str) and speaker and told and not speakers.is_person(speaker):
            message |= {"role": "assistant", "name": speaker}
        if message:
            told.append(message)
    return told
