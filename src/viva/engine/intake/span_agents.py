"""Describes the agents of a run by its spans: their instructions and their tools."""

from typing import Any

from viva.engine.intake import spoken
from viva.engine.intake.playing import Player
from viva.engine.intake.span import Span
from viva.engine.intake.span_kinds import AGENT, MODEL, PLACEHOLDER_DESCRIPTION, TOOL
from viva.engine.intake.span_tools import described_tool, tool_name


def describe_agents(run: Player) -> list[dict[str, Any]]:
    """Each agent that speaks in a run. What no agent owns describes those who have nothing else."""
    about_agents: dict[str | None, dict[str, Any]] = {}
    for span in run.spans:
        about = about_agents.setdefault(run.owner(span), {})
        if "description" not in about and (description := describe_agent(run, span)):
            about["description"] = description
        if offered := {tool["name"]: tool for tool in spoken.offered_tools(span)}:
            about["tools_available"] = about.get("tools_available", {}) | offered
        if run.kind(span) == TOOL and (name := tool_name(span)):
            about.setdefault("called", {}).setdefault(name, described_tool(name, span))
    return [
        as_agent(agent, about_agents.get(agent) or about_agents.get(None) or {}) for agent in run.conversation.agents
    ]


def describe_agent(run: Player, span: Span) -> str | None:
    """What a span says about its agent: a description, or the instructions of its model."""
    own = span.attributes.get("gen_ai.agent.description")
    if isinstance(own, str) and own not in ("", PLACEHOLDER_DESCRIPTION):
        return own
    return spoken.instructions(span, run.history_of(span)) if run.kind(span) in (MODEL, AGENT) else None


def as_agent(agent: str, about: dict[str, Any]) -> dict[str, Any]:
    """An agent with the tools it was offered; else with those it called, where their spans have schemas."""
    called = about.get("called", {})
    offered = {
        name: tool | schema_of(called.get(name, {}), tool) for name, tool in about.get("tools_available", {}).items()
    }
    if not offered and any(schema_of(tool, {}) for tool in called.values()):
        offered = called
    known = {key: value for key, value in about.items() if key == "description"}
    return {"id": agent, "name": agent} | known | ({"tools_available": list(offered.values())} if offered else {})


def schema_of(tool: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """The schema of a tool, unless it is known already."""
    schema = tool.get("parameters_schema")
    return {"parameters_schema": schema} if schema and not known.get("parameters_schema") else {}
