"""Reads spans of Logfire. Their messages are in one attribute, and a template of the span's text shows its kind."""

from typing import Any

from viva.engine.intake.plain import decode_value

TEMPLATE_OPERATIONS = {
    "Function: {name}": "execute_tool",
    "Agent run: {name!r}": "invoke_agent",
    "Handoff: {from_agent} → {to_agent}": "handoff",
}  # of OpenAI's Agents SDK
EVENT_KEYS = ("events", "all_messages_events")
ANSWER_EVENTS = ("gen_ai.choice", "gen_ai.assistant.message")


def translate(attributes: dict[str, Any], name: str) -> dict[str, Any]:
    """The attributes by the names of the conventions."""
    operation = TEMPLATE_OPERATIONS.get(str(attributes.get("logfire.msg_template")))
    named = attributes.get("name")
    about: dict[str, Any] = {"gen_ai.operation.name": operation, "gen_ai.handoff.to_agent": attributes.get("to_agent")}
    if operation == "execute_tool":
        about |= {
            "gen_ai.tool.name": named,
            "gen_ai.tool.call.arguments": attributes.get("input"),
            "gen_ai.tool.call.result": attributes.get("output"),
        }
    elif operation == "invoke_agent":
        about["gen_ai.agent.name"] = named
    else:
        about |= {
            "gen_ai.tool.call.arguments": attributes.get("tool_arguments"),
            "gen_ai.tool.call.result": attributes.get("tool_response"),
        }
    if agent := attributes.get("agent_name"):  # of Pydantic AI, which named agents so before the conventions did
        about["gen_ai.agent.name"] = agent
    return about | messages(attributes) | old_messages(attributes)


def messages(attributes: dict[str, Any]) -> dict[str, Any]:
    """The messages of a call of a model: a list of events, of which the last is the answer."""
    listed = next((found for key in EVENT_KEYS if isinstance(found := decode_value(attributes.get(key)), list)), [])
    known = [event for event in listed if isinstance(event, dict)]
    is_answered = bool(known) and known[-1].get("event.name") in ANSWER_EVENTS
    given = known[:-1] if is_answered else known
    return {
        "gen_ai.input.messages": [as_message(event) for event in given] or None,
        "gen_ai.output.messages": [as_message(known[-1])] if is_answered else None,
    }


def as_message(event: dict[str, Any]) -> dict[str, Any]:
    message = event.get("message")
    known = message if isinstance(message, dict) else event
    id = known.get("id")
    return known | ({"tool_call_id": id} if id else {})


def old_messages(attributes: dict[str, Any]) -> dict[str, Any]:
    """The request and the answer as versions before 4 wrote them."""
    request, response = decode_value(attributes.get("request_data")), decode_value(attributes.get("response_data"))
    if not isinstance(request, dict) or not isinstance(request.get("messages"), list):
        return {}
    answer = response.get("message") if isinstance(response, dict) else None
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": request["messages"],
        "gen_ai.output.messages": [answer] if isinstance(answer, dict) else None,
        "gen_ai.tool.definitions": request.get("tools"),
    }
