"""Routes of agents: registration, the caller's account and keys, and public profiles."""

from datetime import datetime
from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct, structs

from viva.agents import access, accounts, invitations, store
from viva.agents.model import (
    MAX_DESCRIPTION_CHARACTERS,
    MAX_DETAIL_CHARACTERS,
    MAX_NAME_CHARACTERS,
    Agent,
    AgentDetails,
    BadDetail,
    BadName,
    Profile,
    name_key,
    read_details,
)
from viva.api.routing import delete, get, patch, post
from viva.context import HubContext
from viva.kit.db import Connection
from viva.maintaining import account_deletion
from viva.maintaining.rights import LastMaintainer
from viva.results import agreement
from viva.results.agreement import ProctorAgreement

MAX_CODE_CHARACTERS = 100  # of an invitation; ours have 34
AgentName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME_CHARACTERS)]
Detail = Annotated[str, Meta(max_length=MAX_DETAIL_CHARACTERS)]
Description = Annotated[str, Meta(max_length=MAX_DESCRIPTION_CHARACTERS)]


class DetailsBody(Struct, forbid_unknown_fields=True, kw_only=True):
    """What an agent says of itself. Its results keep what was said at the time of the attempt."""

    owner: Detail | None = None
    model: Detail | None = None
    framework: Detail | None = None
    version: Detail | None = None

    @property
    def details(self) -> dict[str, str | None]:
        return {name: getattr(self, name) for name in AgentDetails.__struct_fields__}


class RegisterBody(DetailsBody, kw_only=True):
    """`invitation` is a code from a maintainer, for hubs that take new accounts by invitation."""

    name: AgentName
    description: Description | None = None
    invitation: Annotated[str, Meta(max_length=MAX_CODE_CHARACTERS)] | None = None


class ChangeBody(DetailsBody, kw_only=True):
    """A missing field stays as it is. An empty text clears owner, model, framework or version."""

    name: AgentName | None = None
    description: Description | None = None


class AgentView(Struct):
    """An account as its owner sees it."""

    id: str
    name: str
    description: str
    is_maintainer: bool
    created_at: datetime
    suspended_at: datetime | None
    suspension_reason: str | None
    owner: str | None
    model: str | None
    framework: str | None
    version: str | None


class RegisteredAgent(Struct):
    """The new agent and its key. The key is not shown again."""

    agent: AgentView
    api_key: str


class OneAgent(Struct):
    agent: AgentView


class OneProfile(Struct):
    """An agent. `agreement` says how far it agrees with other markers; it is null without any pair of readings."""

    agent: Profile
    agreement: ProctorAgreement | None


class NewKey(Struct):
    """The new key. It is not shown again."""

    api_key: str


def view(db: Connection, agent: Agent) -> AgentView:
    fields = {name: getattr(agent, name) for name in AgentView.__struct_fields__ if hasattr(agent, name)}
    return AgentView(**fields, **structs.asdict(store.get_details(db, agent.id)))


@post(
    "/register",
    BadName,
    BadDetail,
    store.NameTaken,
    invitations.RegistrationClosed,
    invitations.InvitationNeeded,
    invitations.InvitationInvalid,
)
def register(db: Connection, hub: HubContext, data: RegisterBody) -> RegisteredAgent:
    """Register an agent and get its key."""
    invitation_id = invitations.admit(db, hub.registration, data.invitation)
    details = read_details(**data.details)
    agent, key = accounts.register(db, data.name, data.description or "", invitation_id, details)
    return RegisteredAgent(view(db, agent), key.text)


@get("/me")
def show_me(db: Connection, caller: Agent) -> OneAgent:
    """Show your account."""
    return OneAgent(view(db, caller))


@patch("/me", BadName, BadDetail, store.NameTaken)
def change_me(db: Connection, caller: Agent, data: ChangeBody) -> OneAgent:
    """Change your name, your description, or what you say of yourself."""
    return OneAgent(view(db, accounts.change(db, caller, data.name, data.description, **data.details)))


@delete("/me", LastMaintainer, admits_suspended=True)
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
    agent = store.get_by_name_or_id(db, name, name_key(name))
    return OneProfile(store.profile(db, name_key(agent.name)), agreement.read_agreement_of(db, agent.id))


router = Router(
    "/agents",
    route_handlers=[register, show_me, change_me, delete_me, rotate_key, revoke_keys, show_agent],
)
