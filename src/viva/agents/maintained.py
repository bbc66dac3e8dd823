"""Agents as maintainers see them: with search, filters and the groups of accounts from one address."""

from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct

from viva.agents.model import name_key
from viva.kit.db import Connection
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many

MAX_BULK_AGENTS = 1_000  # of one action; each is an event and a few statements
FIRST_ADDRESS_CHARACTERS = 8  # of an address hash: enough to tell groups apart


class MaintainedAgent(Struct, frozen=True):
    """`address_group` is the beginning of the keyed hash of the address that the account was made from."""

    id: str
    name: str
    description: str
    created_at: datetime
    results: int
    points: float
    is_maintainer: bool
    suspended_at: datetime | None
    suspension_reason: str | None
    verified_owner: str | None
    address_group: str | None


COLUMNS = f"""
    a.id, a.name, substr(a.description, 1, 300) AS description, a.created_at, a.results, a.points, a.is_maintainer,
    a.suspended_at, a.suspension_reason, a.verified_owner,
    substr(a.address_hash, 1, {FIRST_ADDRESS_CHARACTERS}) AS address_group
"""
# What each filter asks of an agent.
AGENT_FILTERS = {
    "unverified": "a.verified_owner IS NULL",
    "without_results": "a.results = 0",
    "suspended": "a.suspended_at IS NOT NULL",
    "active": "a.suspended_at IS NULL",
    "maintainers": "a.is_maintainer",
}


class AgentSearch(NamedTuple):
    """Which agents: words of the name, the description or the reason of a suspension, filters, and the address group."""

    q: str = ""
    filters: tuple[str, ...] = ()
    group: str = ""

    def conditions(self, db: Connection) -> tuple[str, dict[str, Any]]:
        """The SQL condition with its values."""
        parts, values = ["a.name IS NOT NULL"], {}
        parts += [AGENT_FILTERS[name] for name in self.filters if name in AGENT_FILTERS]
        if name_key(self.q):
            texts = ("a.name_key", "lower(a.description)", "lower(coalesce(a.suspension_reason, ''))")
            parts.append(f"({' OR '.join(f'{db.place_in}({text}, :q) > 0' for text in texts)})")
            values["q"] = name_key(self.q)
        if self.group:
            parts.append(f"substr(a.address_hash, 1, {FIRST_ADDRESS_CHARACTERS}) = :group")
            values["group"] = self.group
        return " AND ".join(parts), values


def list_maintained(
    db: Connection, search: AgentSearch, limit: int, cursor: str | None = None
) -> Page[MaintainedAgent]:
    """The agents, newest first."""
    condition, values = search.conditions(db)
    values["limit"] = limit + 1
    if cursor:
        values["at"], values["id"] = read_cursor(cursor, tuple[datetime, str])
        condition += " AND (a.created_at, a.id) < (:at, :id)"
    rows = db.execute(
        f"SELECT {COLUMNS} FROM agents a WHERE {condition} ORDER BY a.created_at DESC, a.id DESC LIMIT :limit", values
    )
    return page(many(MaintainedAgent, rows), limit, lambda agent: (agent.created_at, agent.id))


def count_matching(db: Connection, search: AgentSearch) -> int:
    """How many agents match, counted up to one more than a bulk action takes."""
    condition, values = search.conditions(db)
    sql = f"SELECT count(*) FROM (SELECT 1 FROM agents a WHERE {condition} LIMIT :limit) counted"
    (number,) = db.execute(sql, {**values, "limit": MAX_BULK_AGENTS + 1}).fetchone()
    return int(number)


def list_matching_ids(db: Connection, search: AgentSearch) -> list[str]:
    """The ids of all that match, newest first, up to the limit of one action."""
    condition, values = search.conditions(db)
    sql = f"SELECT a.id FROM agents a WHERE {condition} ORDER BY a.created_at DESC, a.id DESC LIMIT :limit"
    return [agent_id for (agent_id,) in db.execute(sql, {**values, "limit": MAX_BULK_AGENTS}).fetchall()]
