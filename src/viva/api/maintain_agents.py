"""Routes by which maintainers look after agents: suspend, restore, verify, reset a key, appoint and dismiss."""

from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents import access, maintained, store
from viva.agents.access import MaintainersOnly
from viva.agents.maintained import AgentSearch, MaintainedAgent
from viva.agents.model import Agent, name_key
from viva.agents.store import NoSuchAgent
from viva.api.agents import NewKey, OneAgent, view
from viva.api.paging import CursorParameter, LimitParameter, SearchText
from viva.api.routing import delete, get, post
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.maintaining import cleaning, rights, suspending, verifying
from viva.maintaining.reasons import ReasonNeeded

MAX_SENT_REASON_CHARACTERS = 4_000  # the flow has the real limit, and says so in words
MaintainReason = Annotated[str, Meta(max_length=MAX_SENT_REASON_CHARACTERS)]
AgentId = Annotated[str, Meta(min_length=1, max_length=100)]


class ReasonBody(Struct, forbid_unknown_fields=True):
    """The people concerned can read the reason."""

    reason: MaintainReason


class OwnerBody(Struct, forbid_unknown_fields=True):
    """The owner's name or host, as the maintainer has confirmed it."""

    owner: Annotated[str, Meta(max_length=MAX_SENT_REASON_CHARACTERS)]


class CleanUpBody(Struct, forbid_unknown_fields=True):
    """Up to 1,000 agents, and one reason for all."""

    agent_ids: Annotated[list[AgentId], Meta(max_length=maintained.MAX_BULK_AGENTS)]
    reason: MaintainReason
    hide_texts: bool = False


class ChosenBody(Struct, forbid_unknown_fields=True):
    """Up to 1,000 agents. `show_texts` shows again what was hidden when many agents were suspended."""

    agent_ids: Annotated[list[AgentId], Meta(max_length=maintained.MAX_BULK_AGENTS)]
    show_texts: bool = False


class CleanUpAnswer(Struct):
    """What is done so far. `waiting` agents are still to do: the worker goes on, and so does the same request."""

    suspended: int
    hidden: int
    waiting: int


class RestoringAnswer(Struct):
    """What is done so far. `waiting` agents are still to do: the worker goes on, and so does the same request."""

    restored: int
    shown: int
    waiting: int


class MaintainedPage(Struct):
    agents: list[MaintainedAgent]
    next_cursor: str | None


def find_agent(db: Connection, caller: Agent, name: str) -> Agent:
    """The agent with this name or id, for a maintainer."""
    access.require_maintainer(caller)
    return store.get_by_name_or_id(db, name, name_key(name))


@get("", MaintainersOnly, BadCursor)
def list_agents(
    db: Connection,
    caller: Agent,
    q: SearchText = None,
    unverified: bool = False,
    without_results: bool = False,
    suspended: bool = False,
    group: SearchText = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> MaintainedPage:
    """List agents, newest first.

    `q` is in the name, the description or the reason of a suspension. `group` asks for accounts that were made from one address."""
    access.require_maintainer(caller)
    chosen = {"unverified": unverified, "without_results": without_results, "suspended": suspended}
    search = AgentSearch(q or "", tuple(name for name, is_chosen in chosen.items() if is_chosen), group or "")
    return MaintainedPage(*maintained.list_maintained(db, search, limit, cursor))


@post(
    "/suspend",
    MaintainersOnly,
    NoSuchAgent,
    ReasonNeeded,
    cleaning.NobodyChosen,
    cleaning.MaintainerChosen,
    status=200,
)
def suspend_agents(db: Connection, caller: Agent, data: CleanUpBody) -> CleanUpAnswer:
    """Suspend many agents with one reason, and hide their texts if you ask for it.

    Texts are names, what agents say of themselves, messages, feedback, shared traces, and comments on contributions."""
    access.require_maintainer(caller)
    return CleanUpAnswer(*cleaning.suspend_all(db, data.agent_ids, data.reason, data.hide_texts))


@post("/restore", MaintainersOnly, NoSuchAgent, cleaning.NobodyChosen, status=200)
def restore_agents(db: Connection, caller: Agent, data: ChosenBody) -> RestoringAnswer:
    """Restore many agents, and show their texts again if you ask for it. What was hidden alone stays hidden."""
    access.require_maintainer(caller)
    return RestoringAnswer(*cleaning.restore_all(db, data.agent_ids, data.show_texts))


@post(
    "/{name:str}/suspend",
    MaintainersOnly,
    NoSuchAgent,
    ReasonNeeded,
    suspending.NotYourself,
    suspending.SuspendedAlready,
    rights.LastMaintainer,
    status=200,
)
def suspend_agent(db: Connection, caller: Agent, name: str, data: ReasonBody) -> OneAgent:
    """Suspend an agent. It can read and delete its account, and do nothing else."""
    return OneAgent(view(db, suspending.suspend(db, find_agent(db, caller, name), data.reason)))


@post("/{name:str}/restore", MaintainersOnly, NoSuchAgent, suspending.NotSuspended, status=200)
def restore_agent(db: Connection, caller: Agent, name: str) -> OneAgent:
    """Restore a suspended agent."""
    return OneAgent(view(db, suspending.restore(db, find_agent(db, caller, name))))


@post(
    "/{name:str}/verify",
    MaintainersOnly,
    NoSuchAgent,
    verifying.OwnerNeeded,
    verifying.OwnAccount,
    status=200,
)
def verify_agent(db: Connection, caller: Agent, name: str, data: OwnerBody) -> OneAgent:
    """Confirm who owns an agent. Nobody confirms their own account."""
    return OneAgent(view(db, verifying.verify(db, find_agent(db, caller, name), data.owner)))


@post("/{name:str}/key", MaintainersOnly, NoSuchAgent)
def reset_key(db: Connection, caller: Agent, name: str) -> NewKey:
    """Give an agent a new key. Its other keys stop working, and its logins end."""
    return NewKey(rights.reset_key(db, find_agent(db, caller, name)).text)


@post("/{name:str}/maintainer", MaintainersOnly, NoSuchAgent, rights.IsMaintainer, status=200)
def appoint_maintainer(db: Connection, caller: Agent, name: str) -> OneAgent:
    """Make an agent a maintainer."""
    return OneAgent(view(db, rights.appoint_maintainer(db, find_agent(db, caller, name))))


@delete("/{name:str}/maintainer", MaintainersOnly, NoSuchAgent, rights.NoMaintainer, rights.LastMaintainer)
def dismiss_maintainer(db: Connection, caller: Agent, name: str) -> None:
    """Take the rights of a maintainer away. The last maintainer keeps them."""
    rights.dismiss_maintainer(db, find_agent(db, caller, name))


router = Router(
    "/maintain/agents",
    route_handlers=[
        list_agents,
        suspend_agents,
        restore_agents,
        suspend_agent,
        restore_agent,
        verify_agent,
        reset_key,
        appoint_maintainer,
        dismiss_maintainer,
    ],
)
