"""Reads spans of the Vercel AI SDK, whose attributes begin with `ai.`."""

from typing import Any

from viva.engine.intake.plain import decode_value, first_value

TOOL_OPERATION = "ai.toolCall"
ANSWER_KEYS = (
    "ai.response.text",
    "ai.response.object",
    "ai.result.text",
    "ai.result.object",
)  # `result` before version 4
MODEL_SUFFIXES = (".doGenerate", ".doStream")  # the calls of a model inside the call of the SDK


def translate(attributes: dict[str, Any], name: str) -> dict[str, Any]:
    """The attributes by the names of the conventions. A call of the SDK is an agent if it has a function id."""
    operation = str(attributes["ai.operationId"])
    agent = attributes.get("ai.telemetry.functionId")
    about = {
        "gen_ai.agent.name": agent,
        "gen_ai.conversation.id": attributes.get("ai.telemetry.metadata.sessionId"),
    }
    if operation == TOOL_OPERATION:
        return about | tool_attributes(attributes)
    if operation.endswith(MODEL_SUFFIXES):
        return about | model_attributes(attributes)
    return about | ({"gen_ai.operation.name": "invoke_agent"} if agent else {}) | outer_attributes(attributes)


def tool_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": attributes.get("ai.toolCall.name"),
        "gen_ai.tool.call.id": attributes.get("ai.toolCall.id"),
        "gen_ai.tool.call.arguments": attributes.get("ai.toolCall.args"),
        "gen_ai.tool.call.result": attributes.get("ai.toolCall.result"),
    }


def model_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    offered = decode_value(attributes.get("ai.prompt.tools"))
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": attributes.get("ai.prompt.messages"),
        "gen_ai.output.messages": answer(attributes),
        "gen_ai.tool.definitions": [decode_value(tool) for tool in offered] if isinstance(offered, list) else None,
    }


def outer_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    """What the SDK was called with. It counts where no call of a model is recorded."""
    prompt = decode_value(attributes.get("ai.prompt"))
    given = prompt if isinstance(prompt, dict) else {}
    single = [{"role": "user", "content": given["prompt"]}] if isinstance(given.get("prompt"), str) else None
    return {"gen_ai.input.messages": given.get("messages") or single, "gen_ai.output.messages": answer(attributes)}


def answer(attributes: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The message of a model: its text or its object, its reasoning and its calls."""
    text = first_value(attributes, *ANSWER_KEYS)
    calls = decode_value(first_value(attributes, "ai.response.toolCalls", "ai.result.toolCalls"))
    made = [{"type": "tool-call"} | call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    thought = attributes.get("ai.response.reasoning")
    parts = [{"type": "text", "text": text}] if isinstance(text, str) and text else []
    thoughts = [{"type": "reasoning", "text": thought}] if isinstance(thought, str) and thought else []
    found = [*thoughts, *parts, *made]
    return [{"role": "assistant", "content": found}] if found else None
