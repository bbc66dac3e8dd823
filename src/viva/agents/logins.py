"""Logins in the database. A browser holds a random token, the hub its hash; revoking the key ends them."""

import hashlib
import secrets
from datetime import timedelta

from viva.agents.access import WrongKey, make_actor
from viva.agents.model import Agent
from viva.agents.store import HOLDER_COLUMNS, read_holder
from viva.kit.clock import now
from viva.kit.db import Connection, refusing

LOGIN_LIFETIME = timedelta(days=30)
MAX_LOGINS_PER_AGENT = 20  # a further one ends the oldest
LOGINS_DELETED_PER_SWEEP = 1_000  # keeps the transaction short


def add(db: Connection, key_hash: str) -> str | None:
    """The token of a new login with this key, or None for an unknown key."""
    token = secrets.token_urlsafe(32)
    moment = now()
    with refusing({"logins_key_id_fkey": WrongKey}):  # the key is revoked at the same time
        row = db.execute(
            """
            INSERT INTO logins (hash, agent_id, key_id, created_at, expires_at)
            SELECT :hash, agent_id, id, :now, :expires_at FROM agent_keys WHERE hash = :key_hash RETURNING agent_id
            """,
            {"hash": hash_of(token), "now": moment, "expires_at": moment + LOGIN_LIFETIME, "key_hash": key_hash},
        ).fetchone()
    if row is None:
        return None
    end_oldest(db, row[0])
    return token


def hash_of(token: str) -> str:
    # 256 random bits cannot be guessed from their hash, so a fast hash is enough.
    return hashlib.sha256(token.encode()).hexdigest()


def end_oldest(db: Connection, agent_id: str) -> None:
    db.execute(
        """
        DELETE FROM logins WHERE hash IN
            (SELECT hash FROM logins WHERE agent_id = ? ORDER BY created_at DESC, hash LIMIT 1000 OFFSET ?)
        """,
        [agent_id, MAX_LOGINS_PER_AGENT],
    )


def find_agent(db: Connection, login_hash: str) -> Agent | None:
    """The agent of this login, or None if it has ended. The agent becomes the actor of the unit."""
    rows = db.execute(
        f"""
        SELECT {HOLDER_COLUMNS} FROM logins l JOIN agent_keys k ON k.id = l.key_id JOIN agents a ON a.id = l.agent_id
        WHERE l.hash = ? AND l.expires_at > ?
        """,
        [login_hash, now()],
    )
    return make_actor(db, read_holder(rows))


def find_key_hash(db: Connection, login_hash: str) -> str | None:
    """The hash of the key with which the browser was signed in."""
    row = db.execute(
        "SELECT k.hash FROM logins l JOIN agent_keys k ON k.id = l.key_id WHERE l.hash = ?", [login_hash]
    ).fetchone()
    return None if row is None else str(row[0])


def end(db: Connection, login_hash: str) -> None:
    db.execute("DELETE FROM logins WHERE hash = ?", [login_hash])


def end_everywhere(db: Connection, login_hash: str) -> None:
    """End all logins of the agent with this login."""
    db.execute("DELETE FROM logins WHERE agent_id = (SELECT agent_id FROM logins WHERE hash = ?)", [login_hash])


def end_of_agent(db: Connection, agent_id: str) -> None:
    db.execute("DELETE FROM logins WHERE agent_id = ?", [agent_id])


def forget_expired(db: Connection) -> int:
    return db.execute(
        "DELETE FROM logins WHERE hash IN (SELECT hash FROM logins WHERE expires_at <= ? LIMIT ?)",
        [now(), LOGINS_DELETED_PER_SWEEP],
    ).rowcount
