"""The tree of a run: the session, its agents, and the turns of each agent with their scores."""

from collections import Counter
from typing import NamedTuple

from viva.engine.analysis import Analysis
from viva.engine.model import Trace, answering
from viva.web.trace_links import TraceLinks
from viva.web.trace_windows import TurnWindow

MAX_TREE_TURNS = 40  # below one agent


class TurnLeaf(NamedTuple):
    number: int
    part_number: int | None  # in the turn, if the agent has several parts in it
    score: float | None
    is_bad: bool  # the answer failed, and this part gave it
    href: str


class AgentBranch(NamedTuple):
    """An agent, its score over the whole run, and its turns of this window."""

    agent_id: str
    score: float | None
    href: str
    turns: list[TurnLeaf]


def grow_tree(trace: Trace, analysis: Analysis, window: TurnWindow, links: TraceLinks) -> list[AgentBranch]:
    turns: dict[str, list[TurnLeaf]] = {agent_id: [] for agent_id in analysis.per_agent_scores}
    bad = {result.turn_index for result in analysis.turn_results if result.is_bad}
    results = {result.turn_index: result.interactions for result in analysis.turn_results}
    for turn in trace.turns[window.start : window.end]:
        acts = Counter(result.agent_id for result in results[turn.turn_index])
        for part, result in enumerate(results[turn.turn_index]):
            leaf = TurnLeaf(
                number=turn.turn_index + 1,
                part_number=part + 1 if acts[result.agent_id] > 1 else None,
                score=result.score,
                is_bad=turn.turn_index in bad and part == answering(turn),
                href=links.turn(turn.turn_index, part),
            )
            turns.setdefault(result.agent_id, []).append(leaf)
    return [
        AgentBranch(agent_id, agent.overall, links.agent(agent_id), turns[agent_id][:MAX_TREE_TURNS])
        for agent_id, agent in analysis.per_agent_scores.items()
    ]
