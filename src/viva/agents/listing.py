"""Lists of agents: by points, by activity, by name, and those whose name one looks for; deleted ones are on none."""

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from viva.agents.model import name_key
from viva.kit.db import Connection
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many

MAX_AGENTS_SEARCHED = (
    10_000  # agents with the most points, for names that have the words elsewhere than at their beginning
)
FIRST_CHARACTER = "!"  # no key of a name begins with one before it
LAST_CHARACTER = "\U0010ffff"  # no key of a name has it


class AgentLine(Struct, frozen=True):
    """One line: an agent with the beginning of its description, and when it last had a result or joined."""

    id: str
    name: str
    name_key: str
    description: str
    points: float
    results: int
    active_at: datetime


AGENT_LINE_COLUMNS = """
    a.id, a.name, a.name_key, substr(a.description, 1, 300) AS description, a.points, a.results,
    coalesce(a.last_result_at, a.created_at) AS active_at
"""


class AgentSort(NamedTuple):
    """The index's column, which way it is read, the field of `Listed` that has its value, and that value's type."""

    column: str
    order: str
    field: str
    kind: Any


AGENT_SORTS = {
    "points": AgentSort("a.points", "DESC", "points", float),
    "recent": AgentSort("coalesce(a.last_result_at, a.created_at)", "DESC", "active_at", datetime),
}


def by_name(db: Connection) -> AgentSort:
    return AgentSort(f"coalesce(a.name_key, '') {db.by_character}", "ASC", "name_key", str)


def list_agents(db: Connection, sort: str, limit: int, cursor: str | None) -> Page[AgentLine]:
    """All agents, by one of SORTS or by name; equals by their ids."""
    return (
        starting(db, "", limit, cursor) if sort == "name" else read(db, AGENT_SORTS[sort], ["TRUE"], {}, limit, cursor)
    )


def starting(db: Connection, words: str, limit: int, cursor: str | None) -> Page[AgentLine]:
    """Agents whose names begin with the words, by name."""
    by, key = by_name(db), name_key(words)
    between = {"first": key or FIRST_CHARACTER, "last": key + LAST_CHARACTER}
    return read(db, by, [f"{by.column} >= :first", f"{by.column} < :last"], between, limit, cursor)


def read(
    db: Connection, by: AgentSort, conditions: list[str], values: dict[str, Any], limit: int, cursor: str | None
) -> Page[AgentLine]:
    if cursor:
        after, after_id = read_cursor(cursor, tuple[by.kind, str])  # type: ignore[name-defined]
        values = {**values, "after": after, "after_id": after_id}
        beyond = "<" if by.order == "DESC" else ">"
        # The first is said by itself too: SQLite finds no row of values in an index that begins with an expression.
        bounds = [f"{by.column} {beyond}= :after", f"({by.column}, a.id) {beyond} (:after, :after_id)"]
        conditions = [*conditions, *bounds]
    rows = db.execute(
        f"""
        SELECT {AGENT_LINE_COLUMNS} FROM agents a WHERE a.name IS NOT NULL AND {" AND ".join(conditions)}
        ORDER BY {by.column} {by.order}, a.id {by.order} LIMIT :limit
        """,
        {**values, "limit": limit + 1},
    )
    return page(many(AgentLine, rows), limit, lambda agent: (getattr(agent, by.field), agent.id))


def containing(db: Connection, words: str, limit: int) -> list[AgentLine]:
    """Agents with the most points whose names have the words, but not at their beginning."""
    key = name_key(words)
    if not key:
        return []
    rows = db.execute(
        f"""
        SELECT {AGENT_LINE_COLUMNS} FROM (SELECT id, name_key FROM agents WHERE name IS NOT NULL
            ORDER BY points DESC, id DESC LIMIT :most) best JOIN agents a ON a.id = best.id
        WHERE {db.place_in}(best.name_key, :key) > 1
        ORDER BY a.points DESC, a.id DESC LIMIT :limit
        """,
        {"most": MAX_AGENTS_SEARCHED, "key": key, "limit": limit},
    )
    return many(AgentLine, rows)


def search_agents(db: Connection, words: str, limit: int, cursor: str | None) -> Page[AgentLine]:
    """Agents whose names begin with the words; after the last of them, at most as many that have the words elsewhere."""
    if not name_key(words):
        return Page([], None)
    begins = starting(db, words, limit, cursor)
    return begins if begins.next_cursor else Page(begins.items + containing(db, words, limit), None)


def count(db: Connection, most: int) -> int:
    """How many agents there are, counted no further than `most`."""
    (number,) = db.execute(
        "SELECT count(*) FROM (SELECT 1 FROM agents WHERE name IS NOT NULL LIMIT ?) counted", [most]
    ).fetchone()
    return int(number)
