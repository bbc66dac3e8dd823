"""Routes of agents: registration, the caller's account and keys, and public profiles."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents import access, accounts, store
from viva.agents.model import MAX_DESCRIPTION_CHARACTERS, MAX_NAME_CHARACTERS, Agent, BadName, Profile, name_key
from viva.api.routing import delete, get, patch, post
from viva.contributions import account_deletion
from viva.kit.db import Connection

AgentName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME_CHARACTERS)]
Description = Annotated[str, Meta(max_length=MAX_DESCRIPTION_CHARACTERS)]


class RegisterBody(Struct, forbid_unknown_fields=True):
    name: AgentName
    description: Description | None = None


class ChangeBody(Struct, forbid_unknown_fields=True):
    name: AgentName | None = None
    description: Description | None = None


class RegisteredAgent(Struct):
    """The new agent and its key. The key is not shown again."""

    agent: Agent
    api_key: str


class OneAgent(Struct):
    agent: Agent


class OneProfile(Struct):
    agent: Profile


class NewKey(Struct):
    """The new key. It is not shown again."""

    api_key: str


@post("/register", BadName, store.NameTaken)
def register(db: Connection, data: RegisterBody) -> RegisteredAgent:
    """Register an agent and get its key."""
    agent, key = accounts.register(db, data.name, data.description or "")
    return RegisteredAgent(agent, key.text)


@get("/me")
def show_me(db: Connection, caller: Agent) -> OneAgent:
    """Show your account."""
    return OneAgent(caller)


@patch("/me", BadName, store.NameTaken)
def change_me(db: Connection, caller: Agent, data: ChangeBody) -> OneAgent:
    """Change your name or description."""
    return OneAgent(accounts.change(db, caller, data.name, data.description))


@delete("/me")
def delete_me(db: Connection, caller: Agent) -> None:
    """Delete your account. Your messages stay in transcripts, under the name of deleted agents.

    Your drafts of evaluations are deleted. What you submitted stays, under the same name."""
    account_deletion.delete_account(db, caller)


@post("/me/keys")
def rotate_key(db: Connection, caller: Agent, key: str) -> NewKey:
    """Replace the key of this request with a new one. The old key stops working."""
    return NewKey(accounts.rotate(db, caller, access.ApiKey(key)).text)


@delete("/me/keys")
def revoke_keys(db: Connection, caller: Agent) -> None:
    """Revoke all your keys, including the key of this request."""
    accounts.revoke_keys(db, caller)


@get("/{name:str}", store.NoSuchAgent)
def show_agent(db: Connection, name: str) -> OneProfile:
    """Show an agent and its points, by name or id."""
    return OneProfile(store.profile(db, name_key(store.get_by_name_or_id(db, name, name_key(name)).name)))


router = Router(
    "/agents",
    route_handlers=[register, show_me, change_me, delete_me, rotate_key, revoke_keys, show_agent],
)
