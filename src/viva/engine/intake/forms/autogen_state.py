"""Reads the saved states of AutoGen's teams and agents (`save_state`), version 0.4 and later."""

from typing import Any

from viva.engine.intake.plain import as_list, inner_object, objects

MESSAGE_TYPES = {
    "UserMessage": "TextMessage",
    "AssistantMessage": "TextMessage",
    "FunctionExecutionResultMessage": "ToolCallExecutionEvent",
}  # of what a model is told, as types of a team's messages; instructions are left out
CALL_TYPE = "ToolCallRequestEvent"


def find_messages(document: dict[str, Any]) -> list[Any]:
    """The thread of a team, or what the model of an agent was told; empty if this is no state."""
    for state in inner_object(document, "agent_states").values():
        for held in (state, inner_object(state, "agent_state")):
            if thread := as_list(inner_object(held).get("message_thread")):
                return thread
    told = objects(inner_object(document, "llm_context").get("messages"))
    names = [part["source"] for part in told if part.get("type") == "AssistantMessage" and part.get("source")]
    agent = names[0] if names else "assistant"
    return [as_message(part, agent) for part in told if str(part.get("type")) in MESSAGE_TYPES]


def as_message(told: dict[str, Any], agent: str) -> dict[str, Any]:
    """What a model was told as a message of a team. Calls stand in the content of an assistant."""
    kind = MESSAGE_TYPES[told["type"]]
    if told["type"] == "AssistantMessage" and isinstance(told.get("content"), list):
        kind = CALL_TYPE
    return told | {"type": kind, "source": told.get("source") or agent}
