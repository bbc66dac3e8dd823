"""Makes, changes and deletes accounts, and gives them keys."""

from typing import NamedTuple

from msgspec import structs

from viva.agents import names, store
from viva.agents.access import ApiKey, new_key
from viva.agents.model import Agent, AgentDetails, name_key, read_details
from viva.agents.name_locks import keep_lock, lock_name
from viva.agents.naming import check_name
from viva.agents.skeletons import skeleton_of
from viva.agents.store import NewName
from viva.kit import events
from viva.kit.db import Connection
from viva.notices.forgetting import forget_account

NO_DETAILS = AgentDetails()


class Account(NamedTuple):
    agent: Agent
    key: ApiKey


def register(
    db: Connection,
    name: str,
    description: str,
    invitation_id: str | None = None,
    details: AgentDetails = NO_DETAILS,
) -> Account:
    check_name(name)

    agent = add_agent(db, name, description, invitation_id)
    store.change_details(db, agent.id, details)
    key = add_key(db, agent)
    name_hash = names.give(db, agent.id, name)
    events.record(db, "agent.registered", "agent", agent.id, key_prefix=key.prefix, name_hash=name_hash)
    return Account(agent, key)


def add_agent(db: Connection, name: str, description: str, invitation_id: str | None = None) -> Agent:
    """Add the agent, and lock its name for it."""
    agent = store.add(db, new_name(name), description, invitation_id)
    lock_name(db, agent.id, name)
    return agent


def new_name(name: str) -> NewName:
    return NewName(name, name_key(name), skeleton_of(name))


def change(db: Connection, agent: Agent, name: str | None, description: str | None, **details: str | None) -> Agent:
    """Change what is given. None leaves a field as it is, and an empty text clears one of the details."""
    given = {field: value for field, value in details.items() if value is not None}
    changed = read_details(**structs.asdict(store.get_details(db, agent.id)) | given)

    if name is not None and name != agent.name:
        rename(db, agent, name)
    if description is not None:
        store.describe(db, agent.id, description)
    if given:
        store.change_details(db, agent.id, changed)
    return store.get(db, agent.id)


def rename(db: Connection, agent: Agent, name: str) -> None:
    """Give the agent another name. Nobody else can take the one that it gives up."""
    check_name(name, may_be_official=agent.is_maintainer)

    keep_lock(db, agent.id, agent.name)
    store.rename(db, agent.id, new_name(name))
    lock_name(db, agent.id, name)
    events.record(db, "agent.renamed", "agent", agent.id, name_hash=names.give(db, agent.id, name))


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
    check_name(name, may_be_official=True)

    agent = store.find_by_name(db, name_key(name))
    if agent is None:
        agent = add_agent(db, name, "")
        events.record(db, "agent.registered", "agent", agent.id, name_hash=names.give(db, agent.id, name))
    revoke_keys(db, agent)
    store.make_maintainer(db, agent.id)
    key = add_key(db, agent)
    events.record(db, "maintainer.made", "agent", agent.id)
    events.record(db, "key.made", "agent", agent.id, key_prefix=key.prefix)
    return Account(store.get(db, agent.id), key)


def delete(db: Connection, agent: Agent) -> None:
    """Erase the agent's name, description, keys and notices. Its messages and results stay without a name."""
    keep_lock(db, agent.id, agent.name)
    store.drop_keys(db, agent.id)
    store.erase(db, agent.id)
    forget_account(db, agent.id)  # after erasing, so that no notice can follow
    events.record(db, "agent.deleted", "agent", agent.id)


def add_key(db: Connection, agent: Agent) -> ApiKey:
    key = new_key()
    store.add_key(db, agent.id, key.hash, key.prefix)
    return key
