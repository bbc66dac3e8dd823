"""Finds who said what in a sample of Inspect in which several agents worked. Its messages tell only the first agent's view."""

from typing import Any

from viva.engine.intake import tools
from viva.engine.intake.plain import objects

SUBMIT_TOOL = "submit"  # Inspect's agents answer by calling it
# What Inspect says in the user's role to an agent that stopped without an answer.
CONTINUE_BEGINS = "Please proceed to the next step using your best judgement."


def team_messages(messages: Any, events: object) -> Any:
    """The messages as the events have them, with the name of each agent. With one agent, the messages themselves."""
    names = agent_names(objects(events))
    if not team(events):
        return [mark_continue(part) for part in messages] if isinstance(messages, list) else messages
    known = objects(messages)
    first = next((index for index, part in enumerate(known) if part.get("role") == "assistant"), len(known))
    said = [part for event in objects(events) for part in event_messages(event, names)]
    return known[:first] + said


def team(events: object) -> list[dict[str, Any]] | None:
    """The agents with the tools that their models were offered; None unless there are several."""
    names = agent_names(objects(events))
    found: dict[str, dict[str, Any]] = {}
    for event in objects(events):
        if event.get("event") == "model" and (name := names.get(str(event.get("span_id")))):
            offered = tools.definitions(event.get("tools")) or []
            found.setdefault(name, {}).update((tool["name"], tool) for tool in offered)
    agents = [{"id": name, "name": name, "tools_available": list(known.values())} for name, known in found.items()]
    return agents if len(agents) > 1 else None


def mark_continue(message: Any) -> Any:
    is_continue = (
        isinstance(message, dict)
        and message.get("role") == "user"
        and str(message.get("content")).startswith(CONTINUE_BEGINS)
    )
    return message | {"message_type": "observation"} if is_continue else message


def agent_names(events: list[dict[str, Any]]) -> dict[str, str]:
    """The agent of each span: its own name, or that of the span around it. A span begins before those in it."""
    names: dict[str, str] = {}
    for event in events:
        if event.get("event") == "span_begin":
            inherited = names.get(str(event.get("parent_id")))
            own = event.get("name") if event.get("type") == "agent" else None
            if name := own if isinstance(own, str) and own else inherited:
                names[str(event.get("id"))] = name
    return names


def event_messages(event: dict[str, Any], names: dict[str, str]) -> list[dict[str, Any]]:
    """What an event says: an answer of a model, or the result of a tool. A submitted answer is said, too."""
    agent = names.get(str(event.get("span_id")))
    if event.get("event") == "model":
        output = event.get("output")
        choices = objects(output.get("choices")) if isinstance(output, dict) else []
        message = choices[0].get("message") if choices else None
        return [message | {"role": "assistant", "name": agent}] if isinstance(message, dict) else []
    if event.get("event") != "tool":
        return []
    result = event.get("result")
    held = result if isinstance(result, str | list | dict) else None if result is None else str(result)
    shown = {"role": "tool", "tool_call_id": event.get("id"), "content": held, "error": event.get("error")}
    is_answer = event.get("function") == SUBMIT_TOOL and isinstance(result, str) and result
    return [shown, {"role": "assistant", "name": agent, "content": result}] if is_answer else [shown]
