"""The rights of maintainers: who has them, and that somebody always has them."""

from viva.agents import accounts, logins, store
from viva.agents.access import ApiKey
from viva.agents.model import Agent
from viva.exams import key_readers
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Conflict


class LastMaintainer(Conflict):
    """This is the last maintainer. Make another one first."""


class NoMaintainer(Conflict):
    """This agent is not a maintainer."""


class IsMaintainer(Conflict):
    """This agent is a maintainer already."""


def appoint_maintainer(db: Connection, agent: Agent) -> Agent:
    """Make the agent a maintainer. Its keys stay, because its maintainer knows it."""
    if agent.is_maintainer:
        raise IsMaintainer()
    store.make_maintainer(db, agent.id)
    events.record(db, "maintainer.made", "agent", agent.id)
    return store.get(db, agent.id)


def dismiss_maintainer(db: Connection, agent: Agent) -> Agent:
    """Take the right away. The last maintainer keeps it, so that the hub can be run."""
    if not agent.is_maintainer:
        raise NoMaintainer()
    check_another_remains(db, agent)

    store.dismiss_maintainer(db, agent.id)
    key_readers.record_right(db, agent.id, None)
    events.record(db, "maintainer.dismissed", "agent", agent.id)
    return store.get(db, agent.id)


def check_another_remains(db: Connection, agent: Agent) -> None:
    """Refuse to take the right from the last one. The rows stay locked, so that two cannot dismiss each other."""
    if agent.is_maintainer and store.hold_maintainers(db) == [agent.id]:
        raise LastMaintainer()


def reset_key(db: Connection, agent: Agent) -> ApiKey:
    """Give the agent a new key. Its other keys stop working, and its logins end with them."""
    accounts.revoke_keys(db, agent)
    logins.end_of_agent(db, agent.id)
    key = accounts.add_key(db, agent)
    events.record(db, "key.reset", "agent", agent.id, key_prefix=key.prefix)
    return key
