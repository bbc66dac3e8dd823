"""Brings the several ways to write a trace into the one form of the model."""

from collections.abc import Callable
from typing import Any

from viva.engine.intake import plain

DEFAULT_AGENT_ID = "assistant"  # for a trace that names no agent
SINGLE_AGENT_KEYS = ("agent_steps", "agent_response", "latency_ms")  # fields of a turn that belong to its only agent


def tidy(document: object, name: str) -> object:
    """The document with its id, indices and interactions in place. Values of a wrong type stay unchanged."""
    if not isinstance(document, dict):
        return document
    trace = without_nulls(document, "id", "agents")
    if trace.get("id") == "":
        del trace["id"]
    agents = map_list(trace.get("agents", []), tidy_agent)
    only_id = only_agent_id(agents)
    turns = trace.get("turns")
    if isinstance(turns, list):
        trace["turns"] = [tidy_turn(part, position, only_id) for position, part in enumerate(turns)]
    return {"id": name} | trace | {"agents": agents}


def without_nulls(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A copy without these keys where they are null. Null means the same as leaving the key out."""
    return {key: part for key, part in value.items() if part is not None or key not in keys}


def map_list(value: object, change: Callable[[Any], object]) -> Any:
    return [change(part) for part in value] if isinstance(value, list) else value


def only_agent_id(agents: object) -> str | None:
    """The agent of a turn that names none: the only agent, or None if there are several."""
    if not isinstance(agents, list) or not agents:
        return DEFAULT_AGENT_ID
    first = agents[0]
    return first.get("id") if len(agents) == 1 and isinstance(first, dict) else None


def tidy_agent(value: object) -> object:
    if not isinstance(value, dict):
        return value
    known = without_nulls(value, "capabilities")
    if isinstance(known.get("tools_available"), list):
        known["tools_available"] = map_list(known["tools_available"], tidy_tool)
    return known


def tidy_tool(value: object) -> object:
    """A tool may be given as its name only."""
    return {"name": value} if isinstance(value, str) else value


def tidy_turn(value: object, position: int, only_id: str | None) -> object:
    if not isinstance(value, dict):
        return value
    known = without_nulls(value, "turn_index", "agent_interactions")
    if has_own_steps(known):
        known["agent_interactions"] = [own_interaction(known, only_id)]
    if "agent_interactions" in known:
        known["agent_interactions"] = map_list(known["agent_interactions"], tidy_interaction)
    return {"turn_index": position} | known


def has_own_steps(value: object) -> bool:
    """Whether a turn itself holds the steps or the response of its only agent."""
    return (
        isinstance(value, dict)
        and value.get("agent_interactions") in (None, [])
        and any(value.get(key) is not None for key in SINGLE_AGENT_KEYS[:2])
    )


def own_interaction(value: dict[str, Any], only_id: str | None) -> dict[str, Any]:
    """The interaction that a turn itself holds."""
    who = value.get("agent_id", only_id)
    return {key: value[key] for key in SINGLE_AGENT_KEYS if key in value} | ({} if who is None else {"agent_id": who})


def tidy_interaction(value: object) -> object:
    if not isinstance(value, dict):
        return value
    known = without_nulls(value, "agent_steps")
    if "agent_steps" in known:
        known["agent_steps"] = map_list(known["agent_steps"], tidy_step)
    return known


def tidy_step(value: object) -> object:
    if not isinstance(value, dict) or not isinstance(value.get("tool_call"), dict):
        return value
    call = without_nulls(value["tool_call"], "parameters")
    if isinstance(call.get("parameters"), str):
        known = plain.parse_embedded_json(call["parameters"] or "{}")
        call["parameters"] = call["parameters"] if known is None else known
    return value | {"tool_call": call}
