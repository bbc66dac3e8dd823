"""Reads messages of Anthropic's API: a list with its blocks, a request, a response, or both."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.model import Trace

ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use")


def recognise(document: object) -> bool:
    """Whether blocks, tools or a response show this API."""
    if isinstance(document, list):
        return has_blocks(document)
    if not isinstance(document, dict):
        return False
    request, response = split_exchange(document)
    messages = request.get("messages")
    return bool(response) or (isinstance(messages, list) and (has_blocks(messages) or has_schemas(request)))


def has_blocks(messages: list[Any]) -> bool:
    """Whether a message of a user or an assistant has blocks that only this API has."""
    contents = [part.get("content") for part in messages if isinstance(part, dict) and "role" in part]
    return all(
        isinstance(part, dict) and part.get("role") in ("user", "assistant", "system") for part in messages
    ) and any(
        isinstance(block, dict) and block.get("type") in ANTHROPIC_BLOCKS
        for found in contents
        if isinstance(found, list)
        for block in found
    )


def has_schemas(request: dict[str, Any]) -> bool:
    tools = request.get("tools")
    return isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)


def is_response(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") == "message"
        and value.get("role") == "assistant"
        and isinstance(value.get("content"), list)
        and "stop_reason" in value
    )


def split_exchange(document: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The request and the response."""
    inner = document.get("request")
    responses = [part for part in (document, document.get("response")) if isinstance(part, dict) and is_response(part)]
    return (inner if isinstance(inner, dict) else document), next(iter(responses), {})


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the messages and the response."""
    if not recognise(document):
        refuse("messages", "missing", "has no messages of Anthropic")
    request, response = split_exchange(document) if isinstance(document, dict) else ({"messages": document}, {})
    asked = request.get("messages")
    messages = [*(asked if isinstance(asked, list) else []), *([response] if response else [])]
    version = request.get("anthropic_version")
    facts = {key: known for key, known in request.items() if key != "id" or request is not response}
    return chat.read(
        facts | {"messages": messages, "form_version": version if isinstance(version, str) else None}, name, limits
    )
