"""The names that an agent has had. They are deleted with its account, and hashes of them stay in results and events."""

from collections.abc import Collection
from datetime import datetime

import msgspec
from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.hashing import hash_text, new_salt
from viva.kit.rows import many, moment

MAX_LISTED_NAMES = 200


class GivenName(Struct, frozen=True):
    """A name, the salt of its hash, and when it was given."""

    name: str
    salt: str
    given_at: datetime

    @property
    def hash(self) -> str:
        return hash_text(self.salt, self.name)


def give(db: Connection, agent_id: str, name: str) -> str:
    """Add the name to those of the agent. Returns its salted hash, for the event log."""
    given = GivenName(name, new_salt(), now())
    db.execute(
        "INSERT INTO agent_names (agent_id, name, salt, given_at) VALUES (?, ?, ?, ?)",
        [agent_id, given.name, given.salt, given.given_at],
    )
    return given.hash


def take_name(db: Connection, agent_id: str, name: str) -> str:
    """Delete this name from those of the agent. Returns what was deleted, as JSON that `put_back` takes."""
    rows = db.execute(
        "DELETE FROM agent_names WHERE agent_id = ? AND name = ? RETURNING name, salt, given_at", [agent_id, name]
    )
    return msgspec.json.encode(many(GivenName, rows)).decode()


def put_back(db: Connection, agent_id: str, name: str, taken: str | None) -> None:
    """Add a name again that `take_name` has deleted."""
    for given in msgspec.json.decode(taken or "[]", type=list[GivenName]):
        db.execute(
            "INSERT INTO agent_names (agent_id, name, salt, given_at) VALUES (?, ?, ?, ?)",
            [agent_id, name, given.salt, given.given_at],
        )


def list_names(db: Connection, agent_id: str) -> list[GivenName]:
    """The agent's names, newest first."""
    return many(
        GivenName,
        db.execute(
            "SELECT name, salt, given_at FROM agent_names WHERE agent_id = ? ORDER BY given_at DESC LIMIT ?",
            [agent_id, MAX_LISTED_NAMES],
        ),
    )


def find_by_hash(db: Connection, wanted: dict[str, str]) -> dict[str, GivenName]:
    """For each agent the name with the wanted hash, by the agent's id. An erased name is not among them."""
    rows = db.execute(
        f"""
        SELECT agent_id, name, salt, given_at FROM agent_names
        WHERE agent_id IN ({", ".join("?" for _ in wanted)}) ORDER BY given_at DESC LIMIT ?
        """,
        [*wanted, MAX_LISTED_NAMES * len(wanted)],
    )
    given = ((agent_id, GivenName(name, salt, moment(at))) for agent_id, name, salt, at in rows.fetchall())
    return {agent_id: name for agent_id, name in given if name.hash == wanted[agent_id]}


def find_at(db: Connection, agent_ids: Collection[str], at: datetime) -> dict[str, str]:
    """What the agents were called at the moment, by their ids. A deleted agent is not among them."""
    if not agent_ids:
        return {}
    places = ", ".join("?" for _ in agent_ids)
    rows = db.execute(
        f"SELECT agent_id, name FROM agent_names WHERE agent_id IN ({places}) AND given_at <= ? ORDER BY given_at",
        [*agent_ids, at],
    )
    return dict(rows.fetchall())
