"""Agents by points, each with its rank."""

from math import inf
from typing import NamedTuple

from viva.agents import listing
from viva.agents.listing import AgentLine
from viva.kit.db import Connection
from viva.kit.paging import Page, cursor_at, read_cursor


class RankedAgent(NamedTuple):
    """Agents with equal points share a rank, and the next rank leaves a gap. Without points there is no rank."""

    agent: AgentLine
    rank: int | None


class RankBefore(NamedTuple):
    """The previous line: its points, id and rank, and the number of lines up to it."""

    points: float
    id: str
    rank: int
    lines: int

    def next_line(self, agent: AgentLine) -> "RankBefore":
        rank = self.rank if agent.points == self.points else self.lines + 1
        return RankBefore(agent.points, agent.id, rank, self.lines + 1)


BEFORE_FIRST_RANK = RankBefore(inf, "", 0, 0)


def top(db: Connection, limit: int, cursor: str | None) -> Page[RankedAgent]:
    # The cursor carries the rank, since counting the lines before it gets slower with every page.
    before = RankBefore(*read_cursor(cursor, tuple[float, str, int, int])) if cursor else BEFORE_FIRST_RANK
    agents = listing.list_agents(db, "points", limit, cursor_at((before.points, before.id)) if cursor else None)
    ranked = []
    for agent in agents.items:
        before = before.next_line(agent)
        ranked.append(RankedAgent(agent, before.rank if agent.points else None))
    return Page(ranked, cursor_at(before) if agents.next_cursor else None)
