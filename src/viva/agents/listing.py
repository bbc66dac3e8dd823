"""Lists of agents by points, activity or name, and a search by name. Deleted and suspended agents are not listed."""

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from viva.agents.model import name_key
from viva.kit.db import Connection
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many

MAX_AGENTS_SEARCHED = 10_000  # by points, for a text inside a name; no index helps there
FIRST_CHARACTER = "!"  # no name key begins with a lower one
LAST_CHARACTER = "\U0010ffff"  # no name key contains it


class AgentLine(Struct, frozen=True):
    """An agent with the beginning of its description, and the time of its last result or of joining."""

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
    """An indexed column and its direction, and the field of `AgentLine` with its value and type."""

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
    """All agents, by one of AGENT_SORTS or by name. Equal ones are sorted by id."""
    return (
        list_by_prefix(db, "", limit, cursor)
        if sort == "name"
        else read(db, AGENT_SORTS[sort], ["TRUE"], {}, limit, cursor)
    )


def list_by_prefix(db: Connection, text: str, limit: int, cursor: str | None) -> Page[AgentLine]:
    """Agents whose names begin with the text, by name."""
    sort, key = by_name(db), name_key(text)
    bounds = {"first": key or FIRST_CHARACTER, "last": key + LAST_CHARACTER}
    return read(db, sort, [f"{sort.column} >= :first", f"{sort.column} < :last"], bounds, limit, cursor)


def read(
    db: Connection, sort: AgentSort, conditions: list[str], values: dict[str, Any], limit: int, cursor: str | None
) -> Page[AgentLine]:
    if cursor:
        after, after_id = read_cursor(cursor, tuple[sort.kind, str])  # type: ignore[name-defined]
        values = {**values, "after": after, "after_id": after_id}
        beyond = "<" if sort.order == "DESC" else ">"
        # The first bound looks redundant, but SQLite cannot use a row value with an index on an expression.
        bounds = [f"{sort.column} {beyond}= :after", f"({sort.column}, a.id) {beyond} (:after, :after_id)"]
        conditions = [*conditions, *bounds]
    rows = db.execute(
        f"""
        SELECT {AGENT_LINE_COLUMNS} FROM agents a WHERE a.name IS NOT NULL AND a.suspended_at IS NULL AND {" AND ".join(conditions)}
        ORDER BY {sort.column} {sort.order}, a.id {sort.order} LIMIT :limit
        """,
        {**values, "limit": limit + 1},
    )
    return page(many(AgentLine, rows), limit, lambda agent: (getattr(agent, sort.field), agent.id))


def list_by_substring(db: Connection, text: str, limit: int) -> list[AgentLine]:
    """Agents by points whose names contain the text, but not at their beginning."""
    key = name_key(text)
    if not key:
        return []
    rows = db.execute(
        f"""
        SELECT {AGENT_LINE_COLUMNS} FROM (SELECT id, name_key FROM agents WHERE name IS NOT NULL AND suspended_at IS NULL
            ORDER BY points DESC, id DESC LIMIT :searched) best JOIN agents a ON a.id = best.id
        WHERE {db.place_in}(best.name_key, :key) > 1
        ORDER BY a.points DESC, a.id DESC LIMIT :limit
        """,
        {"searched": MAX_AGENTS_SEARCHED, "key": key, "limit": limit},
    )
    return many(AgentLine, rows)


def search_agents(db: Connection, text: str, limit: int, cursor: str | None) -> Page[AgentLine]:
    """Agents whose names begin with the text. Their last page also has up to `limit` names that contain it."""
    if not name_key(text):
        return Page([], None)
    matches = list_by_prefix(db, text, limit, cursor)
    return matches if matches.next_cursor else Page(matches.items + list_by_substring(db, text, limit), None)


def count(db: Connection, limit: int) -> int:
    """The number of agents, counted up to the limit."""
    (number,) = db.execute(
        "SELECT count(*) FROM (SELECT 1 FROM agents WHERE name IS NOT NULL LIMIT ?) counted", [limit]
    ).fetchone()
    return int(number)
