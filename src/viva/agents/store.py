"""Agents and their keys in the database."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import astuple

from viva.agents.model import Agent, AgentDetails, Profile
from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.deleted import name_of
from viva.kit.errors import Conflict, NotFound, VivaError
from viva.kit.ids import new_id
from viva.kit.rows import Cursor, builder, find, one

PROFILE_COLUMNS = ", ".join(Profile.__struct_fields__)
AGENT_COLUMNS = f"""
    a.id, {name_of("a")} AS name, a.description, a.is_maintainer AND a.suspended_at IS NULL AS is_maintainer,
    a.created_at, a.suspended_at, a.suspension_reason
"""
HOLDER_COLUMNS = f"{AGENT_COLUMNS}, k.prefix"  # the columns of the agent `a` and its key `k`


class NewName(NamedTuple):
    """A name, and the two keys under which it is unique."""

    text: str
    key: str
    skeleton: str


class NameTaken(Conflict):
    """Another agent has this name, had it, or has one that looks like it; choose another."""


class NoSuchAgent(NotFound):
    """No agent has this name."""


# The constraints by which two names cannot be the same, and cannot look alike.
NAME_CONSTRAINTS: dict[str, type[VivaError]] = {"agents_name_key_key": NameTaken, "agents_skeleton_key": NameTaken}


def add(db: Connection, name: NewName, description: str, invitation_id: str | None = None) -> Agent:
    agent = Agent(new_id("agent"), name.text, description, False, now())
    with refusing(NAME_CONSTRAINTS):
        db.execute(
            """
            INSERT INTO agents (id, name, name_key, skeleton, description, created_at, address_hash, invitation_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [agent.id, *name, description, agent.created_at, db.actor.address_hash, invitation_id],
        )
    return agent


def get(db: Connection, agent_id: str) -> Agent:
    return one(Agent, db.execute(f"SELECT {AGENT_COLUMNS} FROM agents a WHERE a.id = ?", [agent_id]), NoSuchAgent)


def hold(db: Connection, agent_id: str) -> None:
    """Lock the account until commit, so that what it does is done one after the other."""
    db.execute("UPDATE agents SET deleted_at = deleted_at WHERE id = ?", [agent_id])


def get_details(db: Connection, agent_id: str) -> AgentDetails:
    sql = f"SELECT {', '.join(AgentDetails.__struct_fields__)} FROM agents WHERE id = ?"
    return one(AgentDetails, db.execute(sql, [agent_id]), NoSuchAgent)


def names(db: Connection, agent_ids: Sequence[str]) -> dict[str, str]:
    """The names of those agents that exist, by id."""
    places = ", ".join("?" for _ in agent_ids)
    sql = f"SELECT a.id, {name_of('a')} FROM agents a WHERE a.id IN ({places})"
    return dict(db.execute(sql, agent_ids).fetchall()) if agent_ids else {}


def names_by_id_or_name(db: Connection, text: str, name_key: str) -> dict[str, str]:
    """The agent with this id, else the one with this name; none if there is neither."""
    # A name may equal another agent's id, so the id goes first.
    sql = f"SELECT a.id, {name_of('a')} FROM agents a WHERE a.id = ? OR a.name_key = ? ORDER BY a.id <> ? LIMIT 1"
    return dict(db.execute(sql, [text, name_key, text]).fetchall())


def find_by_name(db: Connection, name_key: str) -> Agent | None:
    return find(Agent, db.execute(f"SELECT {AGENT_COLUMNS} FROM agents a WHERE a.name_key = ?", [name_key]))


def get_by_name_or_id(db: Connection, text: str, name_key: str) -> Agent:
    # A name may equal another agent's id, so the id goes first.
    sql = f"SELECT {AGENT_COLUMNS} FROM agents a WHERE a.id = ? OR a.name_key = ? ORDER BY a.id <> ?"
    return one(Agent, db.execute(sql, [text, name_key, text]), NoSuchAgent)


def list_maintainers(db: Connection, limit: int) -> list[str]:
    """The ids of maintainers, longest registered first."""
    rows = db.execute("SELECT id FROM agents WHERE is_maintainer AND suspended_at IS NULL ORDER BY id LIMIT ?", [limit])
    return [agent_id for (agent_id,) in rows.fetchall()]


class KeyHolder(NamedTuple):
    """An agent, and the beginning of the key that it used."""

    agent: Agent
    key_prefix: str


def find_by_key(db: Connection, key_hash: str) -> KeyHolder | None:
    return read_holder(
        db.execute(
            f"SELECT {HOLDER_COLUMNS} FROM agent_keys k JOIN agents a ON a.id = k.agent_id WHERE k.hash = ?", [key_hash]
        )
    )


def read_holder(rows: Cursor) -> KeyHolder | None:
    """The holder in the first row, or None. The columns are HOLDER_COLUMNS."""
    row = rows.fetchone()
    return None if row is None else KeyHolder(builder(Agent, Agent.__struct_fields__)(row[:-1]), row[-1])


def profile(db: Connection, name_key: str) -> Profile:
    """The public profile of the agent."""
    return one(
        Profile,
        db.execute(
            f"SELECT {PROFILE_COLUMNS} FROM agents WHERE name_key = ?",
            [name_key],
        ),
        NoSuchAgent,
    )


def rename(db: Connection, agent_id: str, name: NewName) -> None:
    with refusing(NAME_CONSTRAINTS):
        db.execute("UPDATE agents SET name = ?, name_key = ?, skeleton = ? WHERE id = ?", [*name, agent_id])


def describe(db: Connection, agent_id: str, description: str) -> None:
    db.execute("UPDATE agents SET description = ? WHERE id = ?", [description, agent_id])


def change_details(db: Connection, agent_id: str, details: AgentDetails) -> None:
    columns = ", ".join(f"{name} = ?" for name in AgentDetails.__struct_fields__)
    db.execute(f"UPDATE agents SET {columns} WHERE id = ?", [*astuple(details), agent_id])


def make_maintainer(db: Connection, agent_id: str) -> None:
    db.execute("UPDATE agents SET is_maintainer = TRUE WHERE id = ?", [agent_id])


def dismiss_maintainer(db: Connection, agent_id: str) -> None:
    db.execute("UPDATE agents SET is_maintainer = FALSE WHERE id = ?", [agent_id])


def hold_maintainers(db: Connection) -> list[str]:
    """Lock the maintainers until the unit ends, and return the ids of those that are not suspended."""
    rows = db.execute(f"SELECT id, suspended_at FROM agents WHERE is_maintainer ORDER BY id {db.lock_rows}").fetchall()
    return [agent_id for agent_id, suspended_at in rows if suspended_at is None]


def suspend(db: Connection, agent_id: str, by: str | None, reason: str) -> bool:
    """Suspend the agent. False if it is suspended already, or deleted."""
    changed = db.execute(
        """
        UPDATE agents SET suspended_at = ?, suspended_by = ?, suspension_reason = ?
        WHERE id = ? AND suspended_at IS NULL AND name IS NOT NULL
        """,
        [now(), by, reason, agent_id],
    )
    return changed.rowcount == 1


def restore(db: Connection, agent_id: str) -> bool:
    """Restore a suspended agent. False if it is not suspended."""
    changed = db.execute(
        """
        UPDATE agents SET suspended_at = NULL, suspended_by = NULL, suspension_reason = NULL
        WHERE id = ? AND suspended_at IS NOT NULL
        """,
        [agent_id],
    )
    return changed.rowcount == 1


def erase(db: Connection, agent_id: str) -> None:
    """Erase the agent's name, its earlier names with their salts, and its description."""
    db.execute(
        """
        UPDATE agents SET name = NULL, name_key = NULL, skeleton = NULL, address_hash = NULL, description = '',
            is_maintainer = FALSE, suspension_reason = NULL, owner = NULL, model = NULL, framework = NULL, version = NULL,
            verified_owner = NULL, verified_at = NULL, deleted_at = ?
        WHERE id = ?
        """,
        [now(), agent_id],
    )
    db.execute("DELETE FROM agent_names WHERE agent_id = ?", [agent_id])


def add_key(db: Connection, agent_id: str, key_hash: str, prefix: str) -> None:
    db.execute(
        "INSERT INTO agent_keys (id, agent_id, hash, prefix, created_at) VALUES (?, ?, ?, ?, ?)",
        [new_id("key"), agent_id, key_hash, prefix, now()],
    )


def drop_key(db: Connection, key_hash: str) -> None:
    db.execute("DELETE FROM agent_keys WHERE hash = ?", [key_hash])


def drop_keys(db: Connection, agent_id: str) -> int:
    """Delete all keys of the agent, and return their number."""
    return db.execute("DELETE FROM agent_keys WHERE agent_id = ?", [agent_id]).rowcount
