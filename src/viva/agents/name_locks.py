"""Locked names in the database: whoever once had a name keeps it, also after giving it up or deleting the account."""

from viva.agents.skeletons import keyed_skeleton, skeleton_of
from viva.agents.store import NameTaken
from viva.kit.clock import now
from viva.kit.db import Connection


def lock_name(db: Connection, agent_id: str, name: str) -> None:
    """Lock the name for the agent. Refuse a name that another agent has or had.

    Only a keyed hash of the skeleton is stored, so nothing readable of a deleted agent's name stays."""
    row = db.execute(
        """
        INSERT INTO name_locks (lock, agent_id, locked_at) VALUES (?, ?, ?)
        ON CONFLICT (lock) DO UPDATE SET lock = excluded.lock WHERE name_locks.agent_id = excluded.agent_id
        RETURNING lock
        """,
        [keyed_skeleton(db.secret, skeleton_of(name)), agent_id, now()],
    ).fetchone()
    if row is None:
        raise NameTaken()


def keep_lock(db: Connection, agent_id: str, name: str) -> None:
    """Lock a name that is given up. An account from before there were locks has none yet."""
    db.execute(
        "INSERT INTO name_locks (lock, agent_id, locked_at) VALUES (?, ?, ?) ON CONFLICT (lock) DO NOTHING",
        [keyed_skeleton(db.secret, skeleton_of(name)), agent_id, now()],
    )
