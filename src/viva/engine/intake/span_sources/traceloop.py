"""Reads spans of Traceloop's OpenLLMetry, whose decorators write `traceloop.*`."""

from typing import Any

from viva.engine.intake.plain import decode_value

TRACELOOP_OPERATIONS = {"tool": "execute_tool", "agent": "invoke_agent", "handoff": "handoff"}
NAME_KEYS = {"tool": "gen_ai.tool.name", "agent": "gen_ai.agent.name"}
MODEL_KEY = "llm.request.type"  # of versions that flatten messages


def translate(attributes: dict[str, Any], name: str) -> dict[str, Any]:
    """The attributes by the names of the conventions."""
    kind = str(attributes.get("traceloop.span.kind"))
    about = {
        "gen_ai.operation.name": "chat" if MODEL_KEY in attributes else TRACELOOP_OPERATIONS.get(kind),
        "gen_ai.conversation.id": attributes.get("traceloop.association.properties.session_id"),
    }
    if kind in NAME_KEYS:
        about[NAME_KEYS[kind]] = attributes.get("traceloop.entity.name") or name.removesuffix(f".{kind}")
    return about | (tool_attributes(attributes) if kind == "tool" else {})


def tool_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "gen_ai.tool.call.arguments": decode_value(attributes.get("traceloop.entity.input")),
        "gen_ai.tool.call.result": decode_value(decode_value(attributes.get("traceloop.entity.output"))),
    }
