"""The leaderboard: each agent's best result in an evaluation, best first."""

from datetime import datetime
from math import inf
from operator import attrgetter
from typing import Literal, NamedTuple

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.paging import Page, cursor_at, read_cursor
from viva.kit.rows import many
from viva.results.official import Scope
from viva.results.standing_order import STANDING_COLUMNS, StandingOrder
from viva.results.standing_sums import AGENT_VERSIONS, AGENTS
from viva.results.sum_keys import ALL_VERSIONS

Holder = Literal["agent", "version"]  # whose best result a line shows
STANDING_TABLES: dict[Holder, str] = {"agent": AGENTS.name, "version": AGENT_VERSIONS.name}
COUNTED_COLUMNS: dict[Holder, tuple[str, ...]] = {
    "agent": ("attempts",),
    "version": ("attempts", "agent_version", "agent_model", "agent_framework", "passes"),
}


class Standing(Struct, frozen=True):
    """One line. Agents with equal share, passed and points share a rank; the next rank leaves a gap."""

    rank: int
    agent_id: str
    agent_name: str
    result_id: str
    passed: bool
    score: float | None
    max_score: float | None
    points_earned: float
    completed_at: datetime
    evaluation_version: str
    attempts: int  # of this agent, in the version or in all versions
    agent_version: str | None = None  # this and the next three: None if the line is about all versions of the agent
    agent_model: str | None = None
    agent_framework: str | None = None
    passes: int | None = None


class StoredStanding(Struct, frozen=True):
    """A standing as stored, without a rank."""

    share: float
    passed: bool
    points_earned: float
    recency: int
    result_id: str
    agent_id: str
    agent_name: str
    score: float | None
    max_score: float | None
    completed_at: datetime
    evaluation_version: str
    attempts: int
    agent_version: str | None = None
    agent_model: str | None = None
    agent_framework: str | None = None
    passes: int | None = None

    @property
    def place(self) -> StandingOrder:
        return StandingOrder(*PLACE_VALUES(self))


PLACE_VALUES = attrgetter(*STANDING_COLUMNS)
SHOWN_VALUES = attrgetter(*Standing.__struct_fields__[1:])  # all but the rank


class StandingBefore(NamedTuple):
    """The last line before a page: its place in the order, its rank, and its line number."""

    place: StandingOrder
    rank: int
    lines: int

    def rank_of(self, place: StandingOrder) -> int:
        return self.rank if place[:3] == self.place[:3] else self.lines + 1


BEFORE_FIRST_STANDING = StandingBefore(StandingOrder(inf, True, inf, 0, ""), 0, 0)  # better than any real line


def top(
    db: Connection,
    evaluation_id: str,
    version: str | None,
    limit: int,
    cursor: str | None,
    scope: Scope = "official",
    each: Holder = "agent",
) -> Page[Standing]:
    """The standings of a version, or of all versions together: of each agent, or of each version of an agent."""
    before = read_before(cursor) if cursor else BEFORE_FIRST_STANDING
    lines = read_standings(
        db, evaluation_id, ALL_VERSIONS if version is None else version, limit + 1, before, scope, each
    )

    standings: list[Standing] = []
    for line in lines[:limit]:
        place = line.place
        before = StandingBefore(place, before.rank_of(place), before.lines + 1)
        standings.append(rank_standing(line, before.rank))
    next_cursor = cursor_at((*before.place, before.rank, before.lines)) if len(lines) > limit else None
    return Page(standings, next_cursor)


def read_before(cursor: str) -> StandingBefore:
    # The cursor carries the rank: counting the lines before it would be slower on each page.
    *place, rank, count = read_cursor(cursor, tuple[float, bool, float, int, str, int, int])
    return StandingBefore(StandingOrder(*place), rank, count)  # type: ignore[arg-type]


def rank_standing(line: StoredStanding, rank: int) -> Standing:
    return Standing(rank, *SHOWN_VALUES(line))


def read_standings(
    db: Connection, evaluation_id: str, version: str, limit: int, after: StandingBefore, scope: Scope, each: Holder
) -> list[StoredStanding]:
    columns, parameters = (", ".join(f"{mark}{name}" for name in STANDING_COLUMNS) for mark in ("s.", ":"))
    return many(
        StoredStanding,
        db.execute(
            f"""
            SELECT {columns}, s.agent_id, {name_of("a")} AS agent_name,
                s.score, s.max_score, s.completed_at, s.result_version AS evaluation_version,
                {", ".join(f"s.{name}" for name in COUNTED_COLUMNS[each])}
            FROM {STANDING_TABLES[each]} s JOIN agents a ON a.id = s.agent_id
            WHERE s.evaluation_id = :evaluation_id AND s.evaluation_version = :version AND s.scope = :scope
                {f"AND ({columns}) < ({parameters})" if after.lines else ""}
            ORDER BY {", ".join(f"s.{name} DESC" for name in STANDING_COLUMNS)} LIMIT :limit
            """,
            {
                "evaluation_id": evaluation_id,
                "version": version,
                "scope": scope,
                "limit": limit,
                **(after.place._asdict() if after.lines else {}),
            },
        ),
    )
