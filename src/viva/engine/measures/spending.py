"""What a run cost, and how long it took: by turn, agent and tool, and where it was slowest."""

import math
from typing import Any

import msgspec

from viva.engine.model import Trace

BY_AGENT, BY_TURN = "cost_by_agent", "cost_by_turn"  # where session_metadata.extra may tell the parts


class Cost(msgspec.Struct, frozen=True):
    """In the trace's own currency. `per_turn` is the mean over the turns."""

    total: float | None = None
    per_turn: float | None = None
    by_agent: dict[str, float] = {}
    by_turn: dict[str, float] = {}


def measure_cost(trace: Trace) -> Cost | None:
    """What the trace tells about its cost, or None when it tells nothing."""
    by_agent, by_turn = stated_costs(trace, BY_AGENT), stated_costs(trace, BY_TURN)
    total = trace.total_cost
    if total is None:
        total = sum(by_agent.values()) if by_agent else sum(by_turn.values()) if by_turn else None
    if total is None:
        return None
    return Cost(total, total / len(trace.turns) if trace.turns else None, by_agent, by_turn)


def stated_costs(trace: Trace, key: str) -> dict[str, float]:
    """The costs kept under a key of the metadata: a table, or a list with one cost a turn."""
    extra: Any = (trace.session_metadata or {}).get("extra")
    parts: Any = extra.get(key) if isinstance(extra, dict) else None
    if isinstance(parts, list):
        parts = {str(index): cost for index, cost in enumerate(parts)}
    rows = parts.items() if isinstance(parts, dict) else ()
    return {
        str(name): float(cost) for name, cost in rows if isinstance(cost, int | float) and not isinstance(cost, bool)
    }


class Slowest(msgspec.Struct, frozen=True):
    """The interaction that took longest."""

    agent_id: str
    turn_index: int
    interaction_index: int
    ms: float


class Latency(msgspec.Struct, frozen=True):
    """Milliseconds. What the trace does not tell is None or left out."""

    total_ms: float | None = None
    by_agent: dict[str, float] = {}
    by_tool: dict[str, float] = {}
    p50: float | None = None
    p95: float | None = None
    slowest: Slowest | None = None


def measure_latency(trace: Trace) -> Latency | None:
    """The times a trace tells, or None when it tells none. p50 and p95 are those of its interactions."""
    by_agent: dict[str, float] = {}
    by_tool: dict[str, float] = {}
    rows: list[Slowest] = []
    for turn in trace.turns:
        for index, act in enumerate(turn.agent_interactions):
            if act.latency_ms is not None:
                rows.append(Slowest(act.agent_id, turn.turn_index, index, act.latency_ms))
                by_agent[act.agent_id] = by_agent.get(act.agent_id, 0.0) + act.latency_ms
            for step in act.agent_steps:
                if step.tool_call is not None and step.tool_call.latency_ms is not None:
                    name = step.tool_call.tool_name
                    by_tool[name] = by_tool.get(name, 0.0) + step.tool_call.latency_ms
    if not rows and not by_tool and trace.total_latency_ms is None:
        return None
    times = sorted(row.ms for row in rows)
    total = trace.total_latency_ms if trace.total_latency_ms is not None else sum(times) if times else None
    slowest = max(rows, key=lambda row: row.ms, default=None)
    return Latency(total, by_agent, by_tool, percentile(times, 0.50), percentile(times, 0.95), slowest)


def percentile(times: list[float], share: float) -> float | None:
    """The smallest time that at least this share of the sorted times does not exceed."""
    return times[max(0, math.ceil(share * len(times)) - 1)] if times else None
