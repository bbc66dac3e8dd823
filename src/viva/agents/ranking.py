"""Agents by their points, each with its rank."""

from math import inf
from typing import NamedTuple

from viva.agents import listing
from viva.agents.listing import Listed
from viva.kit.db import Connection
from viva.kit.paging import Page, cursor_at, read_cursor


class Ranked(NamedTuple):
    """Who has as many points shares a rank, and the rank after it leaves a gap; without points there is none."""

    agent: Listed
    rank: int | None


class Before(NamedTuple):
    """The line before: its points, its id, its rank, and how many lines there are up to it."""

    points: float
    id: str
    rank: int
    lines: int

    def then(self, agent: Listed) -> "Before":
        rank = self.rank if agent.points == self.points else self.lines + 1
        return Before(agent.points, agent.id, rank, self.lines + 1)


FIRST = Before(inf, "", 0, 0)


def top(db: Connection, limit: int, cursor: str | None) -> Page[Ranked]:
    # The rank goes with the cursor: to count those before it would take the longer the farther one reads.
    before = Before(*read_cursor(cursor, tuple[float, str, int, int])) if cursor else FIRST
    found = listing.listed(db, "points", limit, cursor_at((before.points, before.id)) if cursor else None)
    ranked = []
    for agent in found.items:
        before = before.then(agent)
        ranked.append(Ranked(agent, before.rank if agent.points else None))
    return Page(ranked, cursor_at(before) if found.next_cursor else None)
