"""Reads trajectories of the Agent Trajectory Interchange Format (ATIF), which Harbor and Terminal-Bench write."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, inner_object, objects
from viva.engine.intake.times import overall_ms
from viva.engine.model import Trace

VERSION_PREFIX = "ATIF"
ROLES = {"user": "user", "system": "system", "agent": "assistant"}  # by the source of a step


def recognise(document: object) -> bool:
    """Whether this is a trajectory by its version."""
    return (
        isinstance(document, dict)
        and str(document.get("schema_version")).startswith(VERSION_PREFIX)
        and isinstance(document.get("steps"), list)
    )


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a trajectory."""
    if not recognise(document):
        refuse("steps", "missing", "expected a list of steps")
    about = inner_object(document, "agent")
    agent = about["name"] if isinstance(about.get("name"), str) else None
    cost = inner_object(document, "final_metrics").get("total_cost_usd")
    facts = {
        "session_id": document.get("session_id"),
        "messages": [made for step in document["steps"] for made in as_chats(step, agent)],
        "tools": about.get("tool_definitions"),
        "total_cost": cost if isinstance(cost, int | float) else None,
        "total_latency_ms": overall_ms(step.get("timestamp") for step in objects(document["steps"])),
        "form_version": document["schema_version"].removeprefix(f"{VERSION_PREFIX}-"),
    }
    return chat.read(facts, name, limits)


def as_chats(step: Any, agent: str | None) -> Iterator[Any]:
    """A step as a message, and what was observed after it."""
    if not isinstance(step, dict) or str(step.get("source")) not in ROLES:
        yield step  # the reader of chats says what is wrong
        return
    role, said = ROLES[step["source"]], step.get("message")
    observed = objects(inner_object(step, "observation").get("results"))
    if said or role == "assistant":
        yield {
            "role": role,
            "name": agent if role == "assistant" else None,
            "content": said,
            "reasoning_content": step.get("reasoning_content"),
            "tool_calls": [as_call(call) for call in as_list(step.get("tool_calls"))],
        }
    for result in observed:
        if id := result.get("source_call_id"):
            yield {"role": "tool", "tool_call_id": id, "content": result.get("content")}
        else:
            yield {"role": "environment", "content": result.get("content")}


def as_call(call: Any) -> Any:
    if not isinstance(call, dict):
        return call
    return {"id": call.get("tool_call_id"), "name": call.get("function_name"), "arguments": call.get("arguments")}
