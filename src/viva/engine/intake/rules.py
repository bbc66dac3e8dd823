"""Rules that types cannot express: how many parts there may be, and what must be unique."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from viva.engine.intake.faults import Faults
from viva.engine.intake.limits import Limits
from viva.engine.model import Trace, TraceAgent

Path = tuple[str | int, ...]  # names and positions that lead to a place in a document
TURN_CONTENT_KEYS = ("user_message", "agent_interactions", "agent_steps", "agent_response")


def check_sizes(document: object, limits: Limits) -> None:
    """Refuse a document with too many parts, before anything else is checked."""
    faults = Faults()
    for path, count, limit in sizes(document, limits):
        if count > limit:
            faults.add(format_path(path), "too_many", f"has {count:,} entries; at most {limit:,} are read")
    faults.raise_any()


def sizes(document: object, limits: Limits) -> Iterator[tuple[Path, int, int]]:
    yield ("agents",), len(entries(document, "agents")), limits.agents
    yield ("dropped",), len(entries(document, "dropped")), limits.messages
    turns = entries(document, "turns")
    yield ("turns",), len(turns), limits.turns
    for t, turn in enumerate(turns[: limits.turns]):
        interactions = entries(turn, "agent_interactions")
        yield ("turns", t, "agent_interactions"), len(interactions), limits.interactions
        yield ("turns", t, "agent_steps"), len(entries(turn, "agent_steps")), limits.steps
        for i, act in enumerate(interactions[: limits.interactions]):
            path = "turns", t, "agent_interactions", i, "agent_steps"
            yield path, len(entries(act, "agent_steps")), limits.steps


def check_names(trace: Trace, limits: Limits) -> None:
    """Refuse a trace whose ids or names are too long."""
    faults = Faults()
    for path, name in ids_and_names(trace):
        if len(name) > limits.name:
            what = f"has {len(name):,} characters; at most {limits.name:,} are read"
            faults.add(format_path(path), "too_long", what)
    faults.raise_any()


def ids_and_names(trace: Trace) -> Iterator[tuple[Path, str]]:
    yield ("id",), trace.id
    for a, agent in enumerate(trace.agents):
        yield ("agents", a, "id"), agent.id
        yield ("agents", a, "name"), agent.name or ""
        for k, tool in enumerate(agent.tools_available or ()):
            yield ("agents", a, "tools_available", k, "name"), tool.name
    for t, turn in enumerate(trace.turns):
        for i, act in enumerate(turn.agent_interactions):
            yield ("turns", t, "agent_interactions", i, "agent_id"), act.agent_id
            for k, step in enumerate(act.agent_steps):
                if step.tool_call is not None:
                    path = "turns", t, "agent_interactions", i, "agent_steps", k, "tool_call", "tool_name"
                    yield path, step.tool_call.tool_name


def format_path(path: Path) -> str:
    """A path as text. It is made only for a fault, because most traces have none."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)[1:]


def entries(value: object, key: str) -> Sequence[Any]:
    """The list under a key, or an empty one."""
    found = value.get(key) if isinstance(value, dict) else getattr(value, key, None)
    return found if isinstance(found, list | tuple) else ()


def check_document(document: object, faults: Faults) -> None:
    """Add the faults that types do not show, of a document or a trace."""
    if not isinstance(document, dict | Trace):
        return
    turns = entries(document, "turns")
    if not turns and (isinstance(document, Trace) or isinstance(document.get("turns"), list)):
        faults.add("turns", "empty", "must not be empty")
    check_repeated("agents", "id", entries(document, "agents"), faults)
    check_repeated("turns", "turn_index", turns, faults)
    for t, turn in enumerate(turns):
        if isinstance(turn, dict) and not any(key in turn for key in TURN_CONTENT_KEYS):
            faults.add(f"turns[{t}]", "missing", "has neither user_message nor agent_interactions")


def check_repeated(path: str, key: str, parts: Sequence[Any], faults: Faults) -> None:
    """Add a fault for each repeated or empty value of `key`."""
    first: dict[object, int] = {}
    for index, part in enumerate(parts):
        value = part.get(key) if isinstance(part, dict) else getattr(part, key, None)
        if value == "":
            faults.add(f"{path}[{index}].{key}", "empty", "must not be empty")
        elif isinstance(value, str | int) and first.setdefault(value, index) != index:
            faults.add(f"{path}[{index}].{key}", "repeated", f"{value!r:.80} is that of {path}[{first[value]}] too")


def check_trace(trace: Trace, document: object, limits: Limits) -> Trace:
    """The trace with every speaking agent in `agents`, or BadTrace. `document` is its source."""
    check_sizes(trace, limits)
    check_names(trace, limits)
    faults = Faults()
    check_document(document or trace, faults)
    agents = with_speakers(trace, faults)
    if len(agents) > limits.agents:
        faults.add("agents", "too_many", f"{len(agents):,} agents speak; at most {limits.agents:,} are read")
    faults.raise_any()
    return trace if len(agents) == len(trace.agents) else msgspec.structs.replace(trace, agents=agents)


def with_speakers(trace: Trace, faults: Faults) -> tuple[TraceAgent, ...]:
    agents = {agent.id: agent for agent in trace.agents}
    for t, turn in enumerate(trace.turns):
        for i, interaction in enumerate(turn.agent_interactions):
            if not interaction.agent_id:
                faults.add(f"turns[{t}].agent_interactions[{i}].agent_id", "empty", "must not be empty")
            elif interaction.agent_id not in agents:
                agents[interaction.agent_id] = TraceAgent(interaction.agent_id)
    return tuple(agents.values()) if len(agents) > len(trace.agents) else trace.agents
