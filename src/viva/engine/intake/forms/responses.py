"""Reads items of OpenAI's Responses API, as a list, with their response, or as the Agents SDK returns them."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.forms.response_items import as_messages
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, first_value
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
SURE_ITEMS = ("function_call", "function_call_output", "custom_tool_call", "reasoning", "mcp_call", "web_search_call")


def recognise(document: object) -> bool:
    """Whether this is a list of items, a response, or a request with its response."""
    if isinstance(document, list):
        return any(map(is_item, document))
    return isinstance(document, dict) and (
        is_response(document)
        or is_response(document.get("response"))
        or any(map(is_item, as_list(document.get("input"))))
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
    asked = [{"role": "user", "content": given}] if isinstance(given, str) else as_list(given)
    return request, response, [*asked, *as_list(response.get("output") or document.get("output"))]
