"""Makes, changes and deletes accounts, and gives them keys."""

from typing import NamedTuple

from viva.agents import store
from viva.agents.access import ApiKey, new_key
from viva.agents.model import Agent, check_name, name_key
from viva.kit import events
from viva.kit.db import Connection
from viva.notices.forgetting import forget_account


class Account(NamedTuple):
    agent: Agent
    key: ApiKey


def register(db: Connection, name: str, description: str) -> Account:
    check_name(name)

    agent = store.add(db, name, name_key(name), description)
    key = add_key(db, agent)
    events.record(db, "agent.registered", "agent", agent.id, key_prefix=key.prefix)
    return Account(agent, key)


def change(db: Connection, agent: Agent, name: str | None, description: str | None) -> Agent:
    name = agent.name if name is None else name
    check_name(name)

    store.change(db, agent.id, name, name_key(name), agent.description if description is None else description)
    if name != agent.name:
        events.record(db, "agent.renamed", "agent", agent.id)
    return store.get(db, agent.id)


def rotate(db: Connection, agent: Agent, key: ApiKey) -> ApiKey:
    """Replace `key` by a new key. The old one stops working."""
    store.drop_key(db, key.hash)
    new = add_key(db, agent)
    events.record(db, "key.rotated", "agent", agent.id, revoked=key.prefix, made=new.prefix)
    return new


def revoke_keys(db: Connection, agent: Agent) -> None:
    """Delete every key of the agent."""
    dropped = store.drop_keys(db, agent.id)
    if dropped:
        events.record(db, "key.revoked", "agent", agent.id, keys=dropped)


def promote(db: Connection, name: str) -> Account:
    """Make the agent a maintainer. An agent that does not exist is registered first.

    Its earlier keys stop working, since a stranger may have registered the name before."""
    check_name(name)

    agent = store.find_by_name(db, name_key(name))
    if agent is None:
        agent = store.add(db, name, name_key(name), "")
        events.record(db, "agent.registered", "agent", agent.id)
    revoke_keys(db, agent)
    store.make_maintainer(db, agent.id)
    key = add_key(db, agent)
    events.record(db, "maintainer.made", "agent", agent.id)
    events.record(db, "key.made", "agent", agent.id, key_prefix=key.prefix)
    return Account(store.get(db, agent.id), key)


def delete(db: Connection, agent: Agent) -> None:
    """Erase the agent's name, description, keys and notices. Its messages and results stay without a name."""
    store.drop_keys(db, agent.id)
    store.erase(db, agent.id)
    forget_account(db, agent.id)  # after erasing, so that no notice can follow
    events.record(db, "agent.deleted", "agent", agent.id)


def add_key(db: Connection, agent: Agent) -> ApiKey:
    key = new_key()
    store.add_key(db, agent.id, key.hash, key.prefix)
    return key
