"""Agents by their points, each with its rank."""

from math import inf
from typing import NamedTuple

from viva.agents import listing
from viva.agents.listing import AgentLine
from viva.kit.db import Connection
from viva.kit.paging import Page, cursor_at, read_cursor


class RankedAgent(NamedTuple):
    """Who has as many points shares a rank, and the rank after it leaves a gap; without points there is none."""

    agent: AgentLine
    rank: int | None


class RankBefore(NamedTuple):
    """The line before: its points, its id, its rank, and how many lines there are up to it."""

    points: float
    id: str
    rank: int
    lines: int

    def then(self, agent: AgentLine) -> "RankBefore":
        rank = self.rank if agent.points == self.points else self.lines + 1
        return RankBefore(agent.points, agent.id, rank, self.lines + 1)


BEFORE_FIRST_RANK = RankBefore(inf, "", 0, 0)


def top(db: Connection, limit: int, cursor: str | None) -> Page[RankedAgent]:
    # The rank goes with the cursor: to count those before it would take the longer the farther one reads.
    before = RankBefore(*read_cursor(cursor, tuple[float, str, int, int])) if cursor else BEFORE_FIRST_RANK
    found = listing.list_agents(db, "points", limit, cursor_at((before.points, before.id)) if cursor else None)
    ranked = []
    for agent in found.items:
        before = before.then(agent)
        ranked.append(RankedAgent(agent, before.rank if agent.points else None))
    return Page(ranked, cursor_at(before) if found.next_cursor else None)
