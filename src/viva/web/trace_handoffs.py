"""The handoff graph of a run: which agent gave work to which, how often, and how well."""

from collections import Counter
from itertools import pairwise
from math import cos, hypot, pi, sin
from typing import NamedTuple

from viva.engine.analysis import Analysis
from viva.engine.scoring import average

GRAPH_WIDTH, GRAPH_HEIGHT = 560, 380
FLAT_GRAPH_HEIGHT = 190  # of two agents, side by side
ARROW_HEAD_LENGTH = 13
NODE_RADIUS = 30
MAX_NODES_DRAWN = 12  # the agents with the most handoffs
MAX_HANDOFFS_LISTED = 30
MAX_ARROW_WIDTH = 6.0
ARROW_BEND = 0.16  # as a share of its length, so that both directions can be seen


class GraphNode(NamedTuple):
    agent_id: str
    x: float
    y: float
    score: float | None


class Handoffs(NamedTuple):
    """Handoffs from one agent to another: how many, and their average score."""

    giver: str
    receiver: str
    times: int
    score: float | None


class GraphArrow(NamedTuple):
    handoffs: Handoffs
    path: str
    head: str
    width: float


class HandoffGraph(NamedTuple):
    """The agents on a circle, and the arrows between them. `listed` has the most frequent handoffs for a table."""

    nodes: list[GraphNode]
    arrows: list[GraphArrow]
    listed: list[Handoffs]
    hidden_agents: int
    total: int
    width: int = GRAPH_WIDTH
    height: int = GRAPH_HEIGHT
    radius: int = NODE_RADIUS


def draw_handoffs(analysis: Analysis) -> HandoffGraph | None:
    """None if no agent gave work to another."""
    pairs = count_handoffs(analysis)
    if not pairs:
        return None
    busy = Counter[str]()
    for pair in pairs:
        busy.update({pair.giver: pair.times, pair.receiver: pair.times})
    chosen = {agent_id for agent_id, _ in busy.most_common(MAX_NODES_DRAWN)}
    order = [agent_id for agent_id in analysis.per_agent_scores if agent_id in chosen]
    nodes = {agent_id: place_node(agent_id, number, len(order), analysis) for number, agent_id in enumerate(order)}
    drawn = [pair for pair in pairs if pair.giver in nodes and pair.receiver in nodes]
    most = max((pair.times for pair in drawn), default=1)
    return HandoffGraph(
        nodes=list(nodes.values()),
        arrows=[draw_arrow(pair, nodes[pair.giver], nodes[pair.receiver], most) for pair in drawn],
        listed=pairs[:MAX_HANDOFFS_LISTED],
        hidden_agents=len(busy) - len(nodes),
        total=sum(pair.times for pair in pairs),
        height=height_for(len(order)),
    )


def count_handoffs(analysis: Analysis) -> list[Handoffs]:
    """The pairs of agents that follow each other within a turn, the most frequent first."""
    scores: dict[tuple[str, str], list[float | None]] = {}
    for turn in analysis.turn_results:
        for giver, receiver in pairwise(turn.interactions):
            if giver.agent_id != receiver.agent_id:
                scores.setdefault((giver.agent_id, receiver.agent_id), []).append(giver.handoff)
    found = [Handoffs(*pair, len(given), average(given)) for pair, given in scores.items()]
    return sorted(found, key=lambda pair: -pair.times)


def height_for(nodes: int) -> int:
    return GRAPH_HEIGHT if nodes > 2 else FLAT_GRAPH_HEIGHT


def place_node(agent_id: str, number: int, total: int, analysis: Analysis) -> GraphNode:
    """On an ellipse; two agents stand side by side."""
    angle = pi + 2 * pi * number / total
    x = GRAPH_WIDTH / 2 + (GRAPH_WIDTH / 2 - NODE_RADIUS - 60) * cos(angle)
    middle = height_for(total) / 2
    y = middle + (middle - NODE_RADIUS - 30) * sin(angle)
    return GraphNode(agent_id, round(x, 1), round(y, 1), analysis.per_agent_scores[agent_id].overall)


def draw_arrow(pair: Handoffs, start: GraphNode, end: GraphNode, most: int) -> GraphArrow:
    """A bent line from edge to edge of the circles, and its head."""
    length = hypot(end.x - start.x, end.y - start.y) or 1.0
    along = ((end.x - start.x) / length, (end.y - start.y) / length)
    bend_x = (start.x + end.x) / 2 - along[1] * length * ARROW_BEND
    bend_y = (start.y + end.y) / 2 + along[0] * length * ARROW_BEND
    from_x, from_y = edge_of(start, bend_x, bend_y, NODE_RADIUS)
    to_x, to_y = edge_of(end, bend_x, bend_y, NODE_RADIUS + ARROW_HEAD_LENGTH)
    tip_x, tip_y = edge_of(end, bend_x, bend_y, NODE_RADIUS + 1)
    across = ((tip_y - to_y) * 0.6, (to_x - tip_x) * 0.6)
    head = f"{tip_x:.1f},{tip_y:.1f} {to_x + across[0]:.1f},{to_y + across[1]:.1f} {to_x - across[0]:.1f},{to_y - across[1]:.1f}"
    path = f"M{from_x:.1f} {from_y:.1f}Q{bend_x:.1f} {bend_y:.1f} {to_x:.1f} {to_y:.1f}"
    return GraphArrow(pair, path, head, round(1.5 + (MAX_ARROW_WIDTH - 1.5) * pair.times / most, 1))


def edge_of(node: GraphNode, to_x: float, to_y: float, radius: float) -> tuple[float, float]:
    length = hypot(to_x - node.x, to_y - node.y) or 1.0
    return node.x + (to_x - node.x) * radius / length, node.y + (to_y - node.y) * radius / length
