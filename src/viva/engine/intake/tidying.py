"""A document in the few ways that people write a trace, brought into the one way of the model."""

from collections.abc import Callable
from typing import Any

from viva.engine.intake import plain

ONLY_AGENT = "assistant"  # the agent of a trace that names none
SINGLE_AGENT_KEYS = ("agent_steps", "agent_response", "latency_ms")  # what a turn of one agent says in its own name


def tidy(document: object, name: str) -> object:
    """The document with its id, indices and interactions in place; what is of a wrong type stays as it is."""
    if not isinstance(document, dict):
        return document
    trace = without_nulls(document, "id", "agents")
    if trace.get("id") == "":
        del trace["id"]
    agents = each(trace.get("agents", []), agent)
    alone = only_agent(agents)
    turns = trace.get("turns")
    if isinstance(turns, list):
        trace["turns"] = [turn(part, position, alone) for position, part in enumerate(turns)]
    return {"id": name} | trace | {"agents": agents}


def without_nulls(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    """A copy without these keys where they are null, which says the same as leaving them out."""
    return {key: part for key, part in value.items() if part is not None or key not in keys}


def each(value: object, change: Callable[[Any], object]) -> Any:
    return [change(part) for part in value] if isinstance(value, list) else value


def only_agent(agents: object) -> str | None:
    """Who acts where a turn does not say: the one agent there is; None where there are several."""
    if not isinstance(agents, list) or not agents:
        return ONLY_AGENT
    first = agents[0]
    return first.get("id") if len(agents) == 1 and isinstance(first, dict) else None


def agent(value: object) -> object:
    if not isinstance(value, dict):
        return value
    known = without_nulls(value, "capabilities")
    if isinstance(known.get("tools_available"), list):
        known["tools_available"] = each(known["tools_available"], tool)
    return known


def tool(value: object) -> object:
    """A tool may be given by its name alone."""
    return {"name": value} if isinstance(value, str) else value


def turn(value: object, position: int, alone: str | None) -> object:
    if not isinstance(value, dict):
        return value
    known = without_nulls(value, "turn_index", "agent_interactions")
    if speaks_itself(known):
        known["agent_interactions"] = [own_interaction(known, alone)]
    if "agent_interactions" in known:
        known["agent_interactions"] = each(known["agent_interactions"], interaction)
    return {"turn_index": position} | known


def speaks_itself(value: object) -> bool:
    """Whether a turn has the steps or the response of its one agent in itself."""
    return (
        isinstance(value, dict)
        and value.get("agent_interactions") in (None, [])
        and any(value.get(key) is not None for key in SINGLE_AGENT_KEYS[:2])
    )


def own_interaction(value: dict[str, Any], alone: str | None) -> dict[str, Any]:
    """The interaction of the agent that a turn itself speaks for."""
    who = value.get("agent_id", alone)
    return {key: value[key] for key in SINGLE_AGENT_KEYS if key in value} | ({} if who is None else {"agent_id": who})


def interaction(value: object) -> object:
    if not isinstance(value, dict):
        return value
    known = without_nulls(value, "agent_steps")
    if "agent_steps" in known:
        known["agent_steps"] = each(known["agent_steps"], step)
    return known


def step(value: object) -> object:
    if not isinstance(value, dict) or not isinstance(value.get("tool_call"), dict):
        return value
    call = without_nulls(value["tool_call"], "parameters")
    if isinstance(call.get("parameters"), str):
        known = plain.parse_embedded_json(call["parameters"] or "{}")
        call["parameters"] = call["parameters"] if known is None else known
    return value | {"tool_call": call}
