"""Reads spans that Langfuse's own SDK sends, where another backend than Langfuse has stored them."""

from typing import Any

from viva.engine.intake.payloads import find_messages
from viva.engine.intake.plain import decode_value

KIND_KEY = "langfuse.observation.type"
INPUT_KEY, OUTPUT_KEY = "langfuse.observation.input", "langfuse.observation.output"
OPERATIONS = {"generation": "chat", "tool": "execute_tool", "agent": "invoke_agent"}


def translate(attributes: dict[str, Any], name: str) -> dict[str, Any]:
    """The attributes by the names of the conventions."""
    kind = str(attributes[KIND_KEY])
    given, answered = decode_value(attributes.get(INPUT_KEY)), decode_value(attributes.get(OUTPUT_KEY))
    about = {
        "gen_ai.operation.name": OPERATIONS.get(kind),
        "gen_ai.conversation.id": attributes.get("session.id"),
    }
    if kind == "tool":
        told = {"gen_ai.tool.name": name, "gen_ai.tool.call.arguments": given, "gen_ai.tool.call.result": answered}
        return about | told
    if kind == "agent":
        about["gen_ai.agent.name"] = name
    return about | {
        "gen_ai.input.messages": find_messages(given) or as_message("user", given),
        "gen_ai.output.messages": find_messages(answered)[-1:] or as_message("assistant", answered),
    }


def as_message(role: str, value: Any) -> list[dict[str, Any]] | None:
    return [{"role": role, "content": value}] if isinstance(value, str) and value else None
