"""The verified owner of an account. Its keyed hash outlives the account, so that tries follow their owner."""

import hashlib
import hmac
from typing import Literal

from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection

OwnerAction = Literal["agent.verified", "owner.confirmed"]


def confirm_owner(
    db: Connection, agent_id: str, owner: str, action: OwnerAction = "agent.verified", **about: str
) -> None:
    """Write down who owns the account. The caller has checked it."""
    owner_key = hash_owner(db.secret, owner)
    db.execute(
        "UPDATE agents SET verified_owner = ?, verified_at = ?, owner_key = ? WHERE id = ?",
        [owner, now(), owner_key, agent_id],
    )
    events.record(db, action, "agent", agent_id, owner_key=owner_key, **about)


def confirm_first_owner(db: Connection, agent_id: str, owner: str) -> None:
    """Write down who owns the account, unless an owner is confirmed already."""
    owner_key = hash_owner(db.secret, owner)
    changed = db.execute(
        "UPDATE agents SET verified_owner = ?, verified_at = ?, owner_key = ? WHERE id = ? AND verified_owner IS NULL",
        [owner, now(), owner_key, agent_id],
    )
    if changed.rowcount:
        events.record(db, "agent.verified", "agent", agent_id, owner_key=owner_key)


def hold_accounts(db: Connection, agent_id: str) -> list[str]:
    """The agent and the other accounts of its verified owner, deleted ones too; locked until commit if there are others."""
    row = db.execute("SELECT owner_key FROM agents WHERE id = ?", [agent_id]).fetchone()
    if row is None or row[0] is None:
        return [agent_id]
    rows = db.execute("UPDATE agents SET owner_key = owner_key WHERE owner_key = ? RETURNING id", [row[0]]).fetchall()
    return [agent_id, *(other for (other,) in rows if other != agent_id)]


def list_accounts(db: Connection, agent_id: str) -> list[str]:
    """The agent and the other accounts of its verified owner, deleted ones too."""
    rows = db.execute(
        "SELECT o.id FROM agents a JOIN agents o ON o.owner_key = a.owner_key WHERE a.id = ?", [agent_id]
    ).fetchall()
    return [agent_id, *(other for (other,) in rows if other != agent_id)]


def hash_owner(secret: bytes, owner: str) -> str:
    """Equal for equal owners, and useless without the hub's secret."""
    known_by = " ".join(owner.split()).casefold()
    return hmac.digest(secret, b"viva owner " + known_by.encode(errors="replace"), hashlib.sha256).hex()
