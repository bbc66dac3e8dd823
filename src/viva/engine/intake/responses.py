"""Reads items of OpenAI's Responses API, as a list, with their response, or as the Agents SDK returns them."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import decode_text, first_value
from viva.engine.model import Trace

RUN_ITEMS = (
    "message_output_item",
    "tool_call_item",
    "tool_call_output_item",
    "handoff_call_item",
    "handoff_output_item",
    "reasoning_item",
    "mcp_list_tools_item",
    "mcp_approval_request_item",
    "mcp_approval_response_item",
)  # the Agents SDK's wrappers around items
OUTPUT_SUFFIX = "_output"  # ends the type of an item that answers a call
SURE_ITEMS = ("function_call", "function_call_output", "custom_tool_call", "reasoning", "mcp_call", "web_search_call")
SILENT_ITEMS = ("mcp_list_tools", "mcp_list_tools_item")  # say what could be called
ARGUMENT_KEYS = ("arguments", "action", "input", "queries", "code", "operation")
RESULT_KEYS = ("output", "results", "outputs", "result")
FAILED_STATUSES = ("failed", "incomplete")


def recognise(document: object) -> bool:
    """Whether this is a list of items, a response, or a request with its response."""
    if isinstance(document, list):
        return any(map(is_item, document))
    return isinstance(document, dict) and (
        is_response(document)
        or is_response(document.get("response"))
        or any(map(is_item, listed(document.get("input"))))
    )


def is_item(value: object) -> bool:
    """Whether only this API has such an object in a list."""
    if not isinstance(value, dict):
        return False
    if value.get("type") in RUN_ITEMS:
        return "raw_item" in value
    has_call = "call_id" in value or "summary" in value or "status" in value
    return (value.get("type") in SURE_ITEMS and has_call and "role" not in value) or (
        value.get("type") == "message" and "role" in value and "content" in value and "stop_reason" not in value
    )


def is_response(value: object) -> bool:
    return isinstance(value, dict) and value.get("object") == "response" and isinstance(value.get("output"), list)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of all items in order."""
    if not recognise(document):
        refuse("", "missing", "has no items of a response")
    request, response, items = split_exchange(document)
    facts = {
        "id": first_value(request, "conversation_id", "id") or response.get("id"),
        "system": first_value(request, "instructions") or response.get("instructions"),
        "tools": first_value(request, "tools") or response.get("tools") or None,
        "messages": list(as_messages(items)),
    }
    return chat.read(facts, name, limits)


def split_exchange(document: Any) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """The request, the response, and the items of both."""
    if isinstance(document, list):
        return {}, {}, document
    if is_response(document):
        return {}, document, document["output"]
    inner = document.get("request")
    request = inner if isinstance(inner, dict) else document
    response = document["response"] if is_response(document.get("response")) else {}
    given = request.get("input")
    asked = [{"role": "user", "content": given}] if isinstance(given, str) else listed(given)
    return request, response, [*asked, *listed(response.get("output") or document.get("output"))]


def listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def as_messages(items: list[Any]) -> Iterator[dict[str, Any]]:
    """The items as chat messages. What an agent thinks, says and calls in a row is one message."""
    group: dict[str, Any] | None = None
    agent: str | None = None
    for item in items:
        named, inner = unwrap(item)
        agent = named or agent
        if not isinstance(inner, dict) or inner.get("type") in SILENT_ITEMS:
            continue
        made = as_message(inner, agent)
        if made["role"] != "assistant" or group is None or made["name"] != group["name"]:
            if group:
                yield group
            group = None
        if made["role"] == "assistant":
            group = group or made | {"content": []}
            group["content"] += made["content"]
        else:
            yield made
            agent = receiver(made) or agent
    if group:
        yield group


def unwrap(item: Any) -> tuple[str | None, Any]:
    """The agent and the item inside the Agents SDK's wrapper."""
    if not isinstance(item, dict) or "raw_item" not in item:
        return None, item
    agent = item.get("agent")
    name = agent.get("name") if isinstance(agent, dict) else agent
    return name if isinstance(name, str) else None, item["raw_item"]


def as_message(item: dict[str, Any], agent: str | None) -> dict[str, Any]:
    """One item as a chat message. An item of an unknown type becomes a part, which the content reader names."""
    kind = str(item.get("type") or "message")
    if "role" in item:
        said = item.get("content")
        parts = said if isinstance(said, list) else [said] if said else []
        return {"role": item["role"], "content": parts if item["role"] == "assistant" else said, "name": agent}
    if kind.endswith(OUTPUT_SUFFIX) and "call_id" in item:
        return {"role": "tool", "tool_call_id": item["call_id"], "content": item.get("output"), "name": agent}
    parts = [thought_part(item)] if kind == "reasoning" else call_parts(item) if kind.endswith("_call") else [item]
    return {"role": "assistant", "content": [part for part in parts if part], "name": agent}


def thought_part(item: dict[str, Any]) -> dict[str, Any] | None:
    """The reasoning that can be read: its text, else its summary."""
    for key in ("content", "summary"):
        texts = [part.get("text") for part in listed(item.get(key)) if isinstance(part, dict)]
        if said := "\n".join(text for text in texts if isinstance(text, str)):
            return {"type": "reasoning", "text": said}
    return {"type": "reasoning.encrypted"} if item.get("encrypted_content") else None


def call_parts(item: dict[str, Any]) -> list[dict[str, Any]]:
    """A call, and its result where the API has executed it."""
    id, kind = first_value(item, "call_id", "id"), str(item["type"])
    given = first_value(item, *ARGUMENT_KEYS)
    known = decode_text(given) if isinstance(given, str) else given
    arguments = known if isinstance(known, dict) or kind == "function_call" else {"input": given}
    name = item.get("name") or kind.removesuffix("_call")
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
    """The agent that the result of a handoff names."""
    found = decode_text(message["content"]) if isinstance(message.get("content"), str) else None
    name = found.get("assistant") if isinstance(found, dict) and found.keys() == {"assistant"} else None
    return name if message["role"] == "tool" and isinstance(name, str) else None
