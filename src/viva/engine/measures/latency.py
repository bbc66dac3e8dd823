"""Latency: how long the run took, by agent and by tool, and where it was slowest."""

import math

import msgspec

from viva.engine.model import Trace


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


def measure(trace: Trace) -> Latency | None:
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
