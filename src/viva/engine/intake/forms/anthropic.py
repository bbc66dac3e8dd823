"""Reads messages of Anthropic's API: a list with its blocks, a request, a response, or both."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, inner_object
from viva.engine.model import Trace

ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use")
CALL_SUFFIX, RESULT_SUFFIX = "tool_use", "tool_result"  # end the types of blocks, also of tools that the API runs


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
    messages = [*as_list(asked), *([response] if response else [])]
    version = request.get("anthropic_version")
    facts = {
        "system": request.get("system"),
        "tools": request.get("tools"),
        "messages": [part for message in messages for part in split_message(message)],
        "form_version": version if isinstance(version, str) else None,
    }
    return chat.read(facts, name, limits)


def split_message(message: Any) -> Iterator[Any]:
    """The message. What it says after the result of a tool that the API has run is a message of its own."""
    said = message.get("content") if isinstance(message, dict) else None
    if not isinstance(said, list) or message.get("role") != "assistant":
        yield message
        return
    blocks: list[Any] = []
    for block in map(as_known, said):
        if blocks and is_kind(blocks[-1], RESULT_SUFFIX) and not is_kind(block, RESULT_SUFFIX):
            yield message | {"content": blocks}
            blocks = []
        blocks.append(block)
    yield message | {"content": blocks}


def is_kind(block: Any, suffix: str) -> bool:
    return isinstance(block, dict) and str(block.get("type")).endswith(suffix)


def as_known(block: Any) -> Any:
    """A block of a tool that the API runs, as one of a tool that the user's program runs."""
    if is_kind(block, CALL_SUFFIX):
        return block | {"type": CALL_SUFFIX}
    if not is_kind(block, RESULT_SUFFIX):
        return block
    failed = inner_object(block.get("content")).get("error_code")
    return block | {"type": RESULT_SUFFIX} | ({"error": failed} if failed else {})
