"""Pages of agents for maintainers: a list with bulk actions, and one agent with everything that can be done."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import maintained, store
from viva.agents.maintained import MAX_BULK_AGENTS, AgentSearch, MaintainedAgent
from viva.agents.model import Agent, Profile, name_key
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.paging import DEFAULT_PAGE_ITEMS, Page
from viva.maintaining import cleaning, cleanups, hidden_texts, hiding, rights, subjects, suspending, verifying
from viva.maintaining.hidden_texts import HiddenText
from viva.web.maintain_access import (
    MAINTAIN_PATH,
    MAX_MAINTAIN_FORM_BYTES,
    MaintainForm,
    act_as_maintainer,
    show_to_maintainer,
)
from viva.web.queries import count, cursor, word
from viva.web.wording import address, path_part

AGENTS_PATH = f"{MAINTAIN_PATH}/agents"
# The filters that the list offers, in its own words.
FILTER_WORDS = {
    "": "All",
    "active": "Not suspended",
    "suspended": "Suspended",
    "unverified": "Without a verified owner",
    "without_results": "Without results",
    "maintainers": "Maintainers",
}


class NoSuchMaintenance(NotFound):
    """There is no such action."""


@dataclass(frozen=True)
class MaintainedAgentsPage:
    search: AgentSearch
    found: Page[MaintainedAgent]
    total: int  # counted up to one more than an action takes
    cursor: str | None
    waiting: int  # agents for whom something of an earlier action is still to do
    notice: str = ""
    fault: str = ""
    reason: str = ""
    acted_on: str = ""  # the address of the list of those whom the last form suspended
    filters: tuple[tuple[str, str], ...] = tuple(FILTER_WORDS.items())
    max_bulk: int = MAX_BULK_AGENTS

    def here(self, **changes: object) -> str:
        """The address of this list with changed parameters, at its first page."""
        view = {"q": self.search.q, "filter": "".join(self.search.filters), "group": self.search.group}
        return address(AGENTS_PATH, **(view | changes))


@dataclass(frozen=True)
class MaintainedAgentPage:
    agent: Agent
    profile: Profile
    hidden: list[HiddenText]
    says_something: bool  # of itself, here or in its results, that is not hidden
    notice: str = ""
    fault: str = ""
    new_key: str = ""  # shown once

    @property
    def path(self) -> str:
        return agent_path(self.agent.id)

    def is_hidden(self, subject_type: str) -> bool:
        return any(hidden.subject_type == subject_type for hidden in self.hidden)


def agent_path(agent_id: str) -> str:
    return f"{AGENTS_PATH}/{path_part(agent_id)}"


def read_search(q: str, chosen: str, group: str) -> AgentSearch:
    return AgentSearch(q, (chosen,) if chosen in FILTER_WORDS and chosen else (), group)


def done_words(request: Request) -> str:
    """What the last form did, as its redirect says it."""
    suspended, hidden, restored, shown = (count(request, name) for name in ("suspended", "hidden", "restored", "shown"))
    if "suspended" in request.query_params:
        texts = f" Hid {hidden:,} of their texts." if hidden else ""
        return f"Suspended {suspended:,} {'agent' if suspended == 1 else 'agents'}.{texts}"
    if "restored" in request.query_params:
        texts = f" Showed {shown:,} of their texts again." if shown else ""
        return f"Restored {restored:,} {'agent' if restored == 1 else 'agents'}.{texts}"
    return ""


@get(AGENTS_PATH)
async def list_agents(request: Request) -> Response[str] | Redirect:
    search = read_search(word(request, "q"), word(request, "filter"), word(request, "group"))
    at, notice, because = cursor(request), done_words(request), word(request, "because")
    acted_on = address(AGENTS_PATH, filter="suspended", q=because) if because else ""
    return await show_to_maintainer(
        request, "maintain/agents.html", lambda db: agents_page(db, search, at, notice, acted_on=acted_on)
    )


def agents_page(
    db: Connection,
    search: AgentSearch,
    at: str | None,
    notice: str = "",
    fault: str = "",
    reason: str = "",
    acted_on: str = "",
) -> MaintainedAgentsPage:
    found = maintained.list_maintained(db, search, DEFAULT_PAGE_ITEMS, at)
    total, waiting = maintained.count_matching(db, search), cleanups.count(db)
    return MaintainedAgentsPage(search, found, total, at, waiting, notice, fault, reason, acted_on)


def chosen_ids(db: Connection, form: MaintainForm) -> list[str]:
    """The ticked agents, or all that match."""
    if form.field("all"):
        return maintained.list_matching_ids(db, search_of(form))
    return form.values("agent")[:MAX_BULK_AGENTS]


def search_of(form: MaintainForm) -> AgentSearch:
    return read_search(form.field("q"), form.field("filter"), form.field("group"))


def suspend_chosen(db: Connection, form: MaintainForm) -> str:
    reason = form.field("reason")
    done = cleaning.suspend_all(db, chosen_ids(db, form), reason, bool(form.field("texts")))
    changed = {"suspended": done.agents, "hidden": done.texts or "", "because": reason}
    return address(AGENTS_PATH, filter=form.field("filter"), **changed)


def restore_chosen(db: Connection, form: MaintainForm) -> str:
    done = cleaning.restore_all(db, chosen_ids(db, form), bool(form.field("texts")))
    return address(AGENTS_PATH, filter=form.field("filter"), restored=done.agents, shown=done.texts or "")


BULK_ACTIONS = {"suspend": suspend_chosen, "restore": restore_chosen}


@post(AGENTS_PATH, request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def act_on_agents(request: Request) -> Response[str] | Redirect:
    """Suspend or restore the chosen agents."""

    def act(db: Connection, form: MaintainForm) -> str:
        if form.field("action") not in BULK_ACTIONS:
            raise NoSuchMaintenance()
        return BULK_ACTIONS[form.field("action")](db, form)

    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        search, reason = search_of(form), form.field("reason")
        return await show_to_maintainer(
            request, "maintain/agents.html", lambda db: agents_page(db, search, None, "", fault, reason), status
        )

    return await act_as_maintainer(request, act, show_refusal)


@get(AGENTS_PATH + "/{agent_id:str}")
async def show_agent(request: Request, agent_id: str) -> Response[str] | Redirect:
    notice = DONE_WORDS.get(word(request, "done"), "")
    return await show_to_maintainer(request, "maintain/agent.html", lambda db: agent_page(db, agent_id, notice))


def agent_page(db: Connection, agent_id: str, notice: str = "", fault: str = "") -> MaintainedAgentPage:
    agent = store.get_by_name_or_id(db, agent_id, name_key(agent_id))
    profile = store.profile(db, name_key(agent.name))
    says_something = bool(subjects.list_shown_profile(db, agent.id, 1))
    return MaintainedAgentPage(agent, profile, hidden_texts.list_of_agent(db, agent.id), says_something, notice, fault)


AgentAction = Callable[[Connection, Agent, MaintainForm], object]
AGENT_ACTIONS: dict[str, AgentAction] = {
    "suspend": lambda db, agent, form: suspending.suspend(db, agent, form.field("reason")),
    "restore": lambda db, agent, form: suspending.restore(db, agent),
    "verify": lambda db, agent, form: verifying.verify(db, agent, form.field("owner")),
    "hide-name": lambda db, agent, form: hiding.hide(db, "name", agent.id, form.field("reason")),
    "hide-description": lambda db, agent, form: hiding.hide(db, "description", agent.id, form.field("reason")),
    "appoint": lambda db, agent, form: rights.appoint_maintainer(db, agent),
    "dismiss": lambda db, agent, form: rights.dismiss_maintainer(db, agent),
    "key": lambda db, agent, form: rights.reset_key(db, agent).text,
}
DONE_WORDS = {
    "suspend": "The agent is suspended.",
    "restore": "The agent is restored.",
    "verify": "The owner is confirmed.",
    "hide-name": "The name is hidden.",
    "hide-description": "The description and details are hidden.",
    "appoint": "The agent is a maintainer.",
    "dismiss": "The agent is no maintainer any more.",
}


@post(AGENTS_PATH + "/{agent_id:str}/{action:str}", request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def act_on_agent(request: Request, agent_id: str, action: str) -> Response[str] | Redirect:
    """Do one thing with one agent. A new key is shown once, so that its page is the answer itself."""
    made: list[str] = []

    def act(db: Connection, form: MaintainForm) -> str:
        if action not in AGENT_ACTIONS:
            raise NoSuchMaintenance()
        agent = store.get_by_name_or_id(db, agent_id, name_key(agent_id))
        outcome = AGENT_ACTIONS[action](db, agent, form)
        made.extend([str(outcome)] if action == "key" else [])
        return address(agent_path(agent.id), done=action)

    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        return await show_to_maintainer(
            request, "maintain/agent.html", lambda db: agent_page(db, agent_id, fault=fault), status
        )

    answer = await act_as_maintainer(request, act, show_refusal)
    return await show_key(request, agent_id, made[0]) if made else answer


async def show_key(request: Request, agent_id: str, key: str) -> Response[str] | Redirect:
    def read(db: Connection) -> MaintainedAgentPage:
        page = agent_page(db, agent_id)
        return replace(page, new_key=key)

    return await show_to_maintainer(request, "maintain/agent.html", read)
