"""Tells what a span records: the call of a model, of a tool, an agent's work, a search, or a handover."""

import re

from viva.engine.intake.span import Span

MODEL, TOOL, AGENT, RETRIEVER, HANDOVER = "model", "tool", "agent", "retriever", "handover"
SPAN_KINDS = {
    "chat": MODEL,
    "generate_content": MODEL,
    "text_completion": MODEL,
    "chat.completions": MODEL,
    "text.completions": MODEL,
    "responses": MODEL,
    "LLM": MODEL,
    "execute_tool": TOOL,
    "TOOL": TOOL,
    "invoke_agent": AGENT,
    "create_agent": AGENT,
    "AGENT": AGENT,
    "RETRIEVER": RETRIEVER,
    "retrieval": RETRIEVER,
    "handoff": HANDOVER,
    "agent_handoff": HANDOVER,
}
KIND_KEYS = ("gen_ai.operation.name", "openinference.span.kind")
AGENT_KEYS = ("gen_ai.agent.name", "agent.name", "gen_ai.agent.id")
# opentelemetry-instrumentation-openai-agents-v2 gives these to every span
PLACEHOLDER_AGENT, PLACEHOLDER_DESCRIPTION = "OpenAI Agent", "OpenAI Agents instrumentation"
AGENT_SPAN_NAME = re.compile(r"(?:invoke_agent |create_agent )?(?P<name>.+?)(?:\.agent|\.a?run)?$")
MAX_PARENTS = 50  # spans around a span that are looked at; frameworks nest about 20
HANDOVER_NAME = re.compile(r"handoff to (?P<name>.+)$")  # of a tool's span of OpenInference


def kind(span: Span) -> str | None:
    values = [*(span.attributes.get(key) for key in KIND_KEYS), span.source.get("span_kind")]
    found = next((SPAN_KINDS[value] for value in values if isinstance(value, str) and value in SPAN_KINDS), None)
    return HANDOVER if found == TOOL and HANDOVER_NAME.match(span.name) else found


def agent_name(span: Span) -> str | None:
    """The agent that a span names. The span of an agent may have it in its own name only."""
    named = span.first(AGENT_KEYS)
    if named is not None and named != PLACEHOLDER_AGENT:
        return str(named)
    found = AGENT_SPAN_NAME.match(span.name) if kind(span) == AGENT and named is None else None
    return found["name"] if found else None


def owners(run: list[Span]) -> dict[str, str]:
    """The agent of each span: its own name, or that of the nearest parent; empty if there is none."""
    by_id = {span.id: span for span in run}
    known: dict[str, str] = {}
    for span in run:
        path: dict[str, None] = {}
        at: Span | None = span
        while at and at.id not in known and at.id not in path:
            path[at.id] = None
            name = agent_name(at)
            if name is not None:
                known[at.id] = name
                break
            at = by_id.get(at.parent)
        owner = known.get(at.id, "") if at else ""
        known.update((id, owner) for id in path)
    return known


def parents(span: Span, by_id: dict[str, Span]) -> list[Span]:
    """The spans around a span, the nearest first."""
    found: dict[str, Span] = {}
    at = by_id.get(span.parent)
    while at and at.id not in found and at.id != span.id and len(found) < MAX_PARENTS:
        found[at.id] = at
        at = by_id.get(at.parent)
    return list(found.values())


def in_order(spans: list[Span]) -> list[Span]:
    """The spans by their times. Of those that begin at once, a parent precedes its children, and what ends first the rest."""
    by_id = {span.id: span for span in spans}
    return sorted(spans, key=lambda span: (span.start, len(parents(span, by_id)), span.end))
