"""Verifying an account: a maintainer confirms who owns it. An account never verifies itself or another one."""

from viva.agents import owners, store
from viva.agents.model import Agent
from viva.exams.claiming import MAX_OWNER_CHARACTERS, OwnerNeeded, clean_owner
from viva.kit.db import Connection
from viva.kit.errors import Forbidden

__all__ = ["MAX_OWNER_CHARACTERS", "OwnAccount", "OwnerNeeded", "verify"]


class OwnAccount(Forbidden):
    """Nobody verifies their own account."""


def verify(db: Connection, agent: Agent, owner: str) -> Agent:
    """Write the owner as the maintainer has confirmed it."""
    owner = clean_owner(owner)
    if agent.id == db.actor.account_id:
        raise OwnAccount()

    owners.confirm_owner(db, agent.id, owner)
    return store.get(db, agent.id)
