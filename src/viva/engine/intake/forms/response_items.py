"""Reads items of OpenAI's Responses API as chat messages."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake.payloads import decode_payload
from viva.engine.intake.plain import as_list, decode_text, first_value

CALL_SUFFIX, OUTPUT_SUFFIX = "_call", "_output"  # end the types of items that call, and that answer a call
SILENT_ITEMS = ("mcp_list_tools", "mcp_list_tools_item")  # say what could be called
ARGUMENT_KEYS = ("arguments", "action", "input", "queries", "code", "operation")
RESULT_KEYS = ("output", "results", "outputs", "result")
FAILED_STATUSES = ("failed", "incomplete")


def as_messages(items: list[Any]) -> Iterator[Any]:
    """The items as chat messages. What an agent thinks, says and calls in a row is one message."""
    group: dict[str, Any] | None = None
    for made in each_message(items):
        if group and joins(group, made):
            group["content"] += made["content"]
            group["has_calls"] |= made["has_calls"]
            continue
        if group:
            yield group
        group = made if isinstance(made, dict) and made["role"] == "assistant" else None
        if group is None:
            yield made
    if group:
        yield group


def joins(group: dict[str, Any], made: Any) -> bool:
    """Whether an agent goes on. What it says after its calls is a message of its own."""
    if not isinstance(made, dict) or made["role"] != "assistant" or made["name"] != group["name"]:
        return False
    return not group["has_calls"] or not made["has_words"]


def each_message(items: list[Any]) -> Iterator[Any]:
    """A chat message for each item. A handoff makes another agent the speaker."""
    agent: str | None = None
    for item in items:
        named, inner = unwrap(item)
        agent = named or agent
        if not isinstance(inner, dict):
            yield inner  # the reader of chats says what is wrong
        elif inner.get("type") not in SILENT_ITEMS:
            made = as_message(inner, agent)
            agent = receiver(made) or agent
            yield made


def unwrap(item: Any) -> tuple[str | None, Any]:
    """The agent and the item inside the Agents SDK's wrapper."""
    if not isinstance(item, dict) or "raw_item" not in item:
        return None, item
    agent = item.get("agent")
    name = agent.get("name") if isinstance(agent, dict) else agent
    return name if isinstance(name, str) else None, item["raw_item"]


def as_message(item: dict[str, Any], agent: str | None) -> dict[str, Any]:
    """One item as a chat message. An item of an unknown type becomes a part, which the content reader names."""
    kind, said = str(item.get("type") or "message"), item.get("content")
    if kind.endswith(OUTPUT_SUFFIX) and "call_id" in item:
        return {"role": "tool", "tool_call_id": item["call_id"], "content": item.get("output")}
    if "role" in item and item["role"] != "assistant":
        return {"role": item["role"], "content": said}
    made: dict[str, Any] = {"role": "assistant", "name": agent, "has_words": "role" in item, "has_calls": False}
    if "role" in item:
        return made | {"content": [*said] if isinstance(said, list) else [said] if said else []}
    if kind.endswith(CALL_SUFFIX):
        return made | {"content": call_parts(item), "has_calls": True}
    return made | {"content": thought_parts(item) if kind == "reasoning" else [item]}


def thought_parts(item: dict[str, Any]) -> list[dict[str, Any]]:
    """The reasoning that can be read: its text, else its summary."""
    for key in ("content", "summary"):
        texts = [part.get("text") for part in as_list(item.get(key)) if isinstance(part, dict)]
        if said := "\n".join(text for text in texts if isinstance(text, str)):
            return [{"type": "reasoning", "text": said}]
    return [{"type": "reasoning.encrypted"}] if item.get("encrypted_content") else []


def call_parts(item: dict[str, Any]) -> list[dict[str, Any]]:
    """A call, and its result where the API has executed it."""
    id, kind = first_value(item, "call_id", "id"), str(item["type"])
    given = first_value(item, *ARGUMENT_KEYS)
    known = decode_text(given) if isinstance(given, str) else given
    arguments = known if isinstance(known, dict) or kind == "function_call" else {"input": given}
    name = item.get("name") or kind.removesuffix(CALL_SUFFIX)
    call = {
        "type": "function_call",
        "id": id,
        "name": name,
        "arguments": given if kind == "function_call" else arguments,
    }
    result = first_value(item, *RESULT_KEYS)
    failed = item.get("error") or (item.get("status") if item.get("status") in FAILED_STATUSES else None)
    if kind == "function_call" or (result is None and not failed):
        return [call]
    return [call, {"type": "tool_result", "id": id, "content": result, "error": failed}]


def receiver(message: dict[str, Any]) -> str | None:
    """The agent that the result of a handoff names, in JSON or, in former versions, as Python writes it."""
    found = decode_payload(message.get("content")) if message["role"] == "tool" else None
    name = found["assistant"] if isinstance(found, dict) and found.keys() == {"assistant"} else None
    return name if isinstance(name, str) else None
