"""The waterfall of a run: when each agent and each tool worked, how long, and at what cost, one turn after the other."""

from typing import NamedTuple

from viva.engine.analysis import Analysis
from viva.engine.model import Interaction, Trace, Turn
from viva.web.trace_links import TraceLinks
from viva.web.trace_windows import PARTS_PER_WINDOW, TurnWindow

TIMELINE_UNITS = 1000  # the width of the chart
MIN_BAR_UNITS = 3  # so that the shortest bar is visible
MAX_CALLS_SHOWN = 30  # of one part


class TimeBar(NamedTuple):
    """One part or one call: its place on the chart, and its time."""

    x: float
    width: float
    label: str
    ms: float


class TimelineRow(NamedTuple):
    """One agent's part in a turn, and the calls within it."""

    agent_id: str
    href: str
    bar: TimeBar
    calls: list[TimeBar]


class TimelineTurn(NamedTuple):
    number: int
    href: str
    ms: float
    cost: float | None
    rows: list[TimelineRow]


class Timeline(NamedTuple):
    """The turns of one window on one scale."""

    turns: list[TimelineTurn]
    total_ms: float


def draw_timeline(trace: Trace, analysis: Analysis, window: TurnWindow, links: TraceLinks) -> Timeline | None:
    """None if no part of the window tells its time."""
    turns = trace.turns[window.start : window.end]
    total = sum(turn_time(turn) for turn in turns)
    if total <= 0:
        return None
    costs = analysis.cost.by_turn if analysis.cost else {}
    drawn, passed = [], 0.0
    for position, turn in enumerate(turns, window.start):
        rows = draw_rows(turn, passed, total, links)
        href = links.turn(turn.turn_index)
        drawn.append(TimelineTurn(turn.turn_index + 1, href, turn_time(turn), costs.get(str(position)), rows))
        passed += turn_time(turn)
    return Timeline(drawn, total)


def draw_rows(turn: Turn, passed: float, total: float, links: TraceLinks) -> list[TimelineRow]:
    rows = []
    for part, act in enumerate(turn.agent_interactions[:PARTS_PER_WINDOW]):
        ms = part_time(act)
        href = links.turn(turn.turn_index, part)
        rows.append(
            TimelineRow(act.agent_id, href, draw_bar(passed, ms, total, "whole part"), draw_calls(act, passed, total))
        )
        passed += ms
    return rows


def draw_calls(act: Interaction, passed: float, total: float) -> list[TimeBar]:
    """The calls one after the other, at the end of their part: an agent thinks before it calls."""
    timed = [(step.tool_call.tool_name, step.tool_call.latency_ms) for step in act.agent_steps if step.tool_call]
    known = [(name, ms) for name, ms in timed[:MAX_CALLS_SHOWN] if ms is not None]
    passed += max(0.0, part_time(act) - sum(ms for _, ms in known))
    bars = []
    for name, ms in known:
        bars.append(draw_bar(passed, ms, total, name))
        passed += ms
    return bars


def draw_bar(start: float, ms: float, total: float, label: str) -> TimeBar:
    x = min(TIMELINE_UNITS * start / total, TIMELINE_UNITS - MIN_BAR_UNITS)
    width = min(max(TIMELINE_UNITS * ms / total, MIN_BAR_UNITS), TIMELINE_UNITS - x) if ms else 0.0
    return TimeBar(round(x, 1), round(width, 1), label, ms)


def turn_time(turn: Turn) -> float:
    return sum(part_time(act) for act in turn.agent_interactions)


def part_time(act: Interaction) -> float:
    """The time of a part; that of its calls if it tells no other."""
    if act.latency_ms is not None:
        return max(0.0, act.latency_ms)
    return sum(max(0.0, step.tool_call.latency_ms or 0.0) for step in act.agent_steps if step.tool_call)
