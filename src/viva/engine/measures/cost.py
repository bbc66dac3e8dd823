"""Cost: what the run cost in all, and for each turn and agent where the trace tells."""

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


def measure(trace: Trace) -> Cost | None:
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
