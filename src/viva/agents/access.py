"""API keys: how they are made, and how the hub recognises a caller."""

import hashlib
import secrets
from typing import NamedTuple

from viva.agents import store
from viva.agents.model import Agent
from viva.kit.db import Connection
from viva.kit.errors import Forbidden, Unauthorized

KEY_PREFIX = "viva_"


class WrongKey(Unauthorized):
    """This API key is not known here; it may have been rotated or revoked."""


class Suspended(Forbidden):
    """This account is suspended. It can read, and it can be deleted."""


class MaintainersOnly(Forbidden):
    """Only a maintainer of this hub may do this."""


class ApiKey(NamedTuple):
    """A key, shown to its owner once. The hub stores only its hash and its first characters."""

    text: str

    @property
    def hash(self) -> str:
        # 256 random bits cannot be guessed from their hash, so a slow hash would only slow every request.
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def prefix(self) -> str:
        return self.text[: len(KEY_PREFIX) + 6]


def new_key() -> ApiKey:
    return ApiKey(KEY_PREFIX + secrets.token_urlsafe(32))


def caller(db: Connection, key: str) -> Agent:
    agent = recognize(db, ApiKey(key).hash)
    if agent is None:
        raise WrongKey()
    return agent


def recognize(db: Connection, key_hash: str) -> Agent | None:
    """The agent that holds this key, or None. It becomes the actor of the unit."""
    return make_actor(db, store.find_by_key(db, key_hash))


def make_actor(db: Connection, holder: store.KeyHolder | None) -> Agent | None:
    """Make the holder of a key the actor of the unit. A suspended agent cannot act in a unit that writes."""
    if holder is None:
        return None
    if holder.agent.suspended_at and db.actor.is_writing and not db.actor.may_be_suspended:
        raise Suspended(f"{Suspended.__doc__} The reason: {holder.agent.suspension_reason}")
    db.actor = db.actor.signed_in(holder.agent.id, holder.key_prefix)
    return holder.agent


def require_maintainer(agent: Agent) -> None:
    if not agent.is_maintainer:
        raise MaintainersOnly()


def id_of(viewer: Agent | None) -> str | None:
    return viewer.id if viewer else None
