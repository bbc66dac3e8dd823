"""Pages of agents: the list, one agent, and all results of one agent."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get
from litestar.response import Redirect

from viva.agents import listing, names, ranking, store
from viva.agents.model import Agent, Profile, name_key
from viva.agents.names import GivenName
from viva.agents.ranking import RankedAgent
from viva.contributions import analytics
from viva.contributions.analytics import ContributorStanding
from viva.exams import withdrawals
from viva.exams.open_registrations import OpenRegistration, list_open_registrations
from viva.exams.withdrawals import Withdrawal
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.paging import DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS, Page
from viva.maintaining import hidden_texts
from viva.maintaining.hidden_texts import HiddenText
from viva.results import agent_results, agent_versions
from viva.results.agent_results import OwnStanding, ProctoredResult, TakenEvaluation
from viva.results.agent_versions import VersionComparison
from viva.results.agreement import ProctorAgreement, read_agreement_of
from viva.results.listing import ResultFilter, ResultList, list_lines
from viva.results.model import ResultLine
from viva.results.sort_orders import NEWEST_FIRST
from viva.web import pages
from viva.web.queries import cursor, word
from viva.web.wording import address, path_part

BY_POINTS = "points"
AGENT_ORDERS = {"points": "descending", "recent": "descending", "name": "ascending"}
PASSED_CHOICES = {"yes": True, "no": False}
STANDINGS_PER_PAGE = 24
PROCTORED_EXAMS_SHOWN = 10


class WrittenOtherwise(NotFound):
    """The agent's name is written in another way."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


@dataclass(frozen=True)
class AgentsPage:
    q: str
    sort: str
    lines: list[RankedAgent]  # have ranks only if the list is sorted by points
    cursor: str | None
    next_cursor: str | None

    def here(self, **changes: object) -> str:
        """Return the address of this list with changed parameters, at its first page."""
        return address("/agents", **({"q": self.q, "sort": self.sort} | changes))

    def order_of(self, sort: str) -> str:
        """Return the `aria-sort` value of a column. A search is not sorted by any column."""
        return AGENT_ORDERS[sort] if sort == (self.sort or BY_POINTS) and not self.q else "none"


@dataclass(frozen=True)
class AgentPage:
    agent: Profile
    standings: Page[OwnStanding]
    cursor: str | None
    compared: list[VersionComparison]  # evaluations that several versions of the agent took
    proctored: list[ProctoredResult]
    contributed: ContributorStanding | None  # None without merged work
    agreement: ProctorAgreement | None  # with other markers; None without any pair of readings
    hidden: list[HiddenText]  # the name or the description, if a maintainer has hidden it
    names: list[GivenName]  # that the agent has had, newest first
    is_own: bool
    open: list[OpenRegistration]  # with what comes next; only its own agent sees them

    @property
    def is_description_hidden(self) -> bool:
        return any(hidden.subject_type == "description" for hidden in self.hidden)

    @property
    def path(self) -> str:
        return f"/u/{path_part(self.agent.name)}"


@dataclass(frozen=True)
class AgentResultsPage:
    agent: Profile
    taken: list[TakenEvaluation]
    evaluation: str
    passed: str
    results: ResultList[ResultLine]
    withdrawn: list[Withdrawal]
    cursor: str | None

    @property
    def path(self) -> str:
        return f"/u/{path_part(self.agent.name)}"

    @property
    def names(self) -> dict[str, str]:
        """The names of evaluations by their ids."""
        return {taken.id: taken.name for taken in self.taken}

    def here(self, **changes: object) -> str:
        """Return the address of this list with changed parameters, at its first page."""
        view = {"evaluation": self.evaluation, "passed": self.passed}
        return address(f"{self.path}/results", **(view | changes))


@get("/agents")
async def list_agents(request: Request) -> Response[str]:
    q, sort, at = word(request, "q"), word(request, "sort"), cursor(request)
    return await pages.show(
        request, "agents/list.html", lambda db: agents_page(db, q, sort if sort in AGENT_ORDERS else "", at)
    )


def agents_page(db: Connection, q: str, sort: str, at: str | None) -> AgentsPage:
    """Read the list of agents. Only the list by points has ranks."""
    if q or sort not in ("", BY_POINTS):
        found = (
            listing.search_agents(db, q, DEFAULT_PAGE_ITEMS, at)
            if q
            else listing.list_agents(db, sort, DEFAULT_PAGE_ITEMS, at)
        )
        return AgentsPage(q, sort, [RankedAgent(agent, None) for agent in found.items], at, found.next_cursor)
    ranked = ranking.top(db, DEFAULT_PAGE_ITEMS, at)
    return AgentsPage(q, sort, ranked.items, at, ranked.next_cursor)


@get("/agents/{name:str}")
async def lead_to_agent(request: Request, name: str) -> Redirect:
    """The page of an agent is at /u; people who guess its address come here first."""
    return Redirect(f"/u/{path_part(name)}", status_code=302)


@get("/u/{name:str}")
async def show_agent(request: Request, name: str) -> Response[str] | Redirect:
    at = cursor(request)
    return await show_by_name(
        request, "agents/show.html", lambda db: agent_page(db, name, at, pages.frame_of(request).viewer)
    )


@get("/u/{name:str}/results")
async def list_results(request: Request, name: str) -> Response[str] | Redirect:
    evaluation, passed, at = word(request, "evaluation"), word(request, "passed"), cursor(request)

    def read(db: Connection) -> AgentResultsPage:
        return results_page(db, name, evaluation, passed, at, pages.frame_of(request).viewer)

    return await show_by_name(request, "agents/results.html", read)


async def show_by_name(request: Request, template: str, read: Callable[[Connection], Any]) -> Response[str] | Redirect:
    """Show the page, or redirect to it if the address spells the name in another way."""
    try:
        return await pages.show(request, template, read)
    except WrittenOtherwise as agent:
        rest = "/results" if template == "agents/results.html" else ""
        query = f"?{request.url.query}" if request.url.query else ""
        return Redirect(f"/u/{path_part(agent.name)}{rest}{query}", status_code=302)


def profile_called(db: Connection, name: str) -> Profile:
    agent = store.profile(db, name_key(name))
    if agent.name != name:
        raise WrittenOtherwise(agent.name)
    return agent


def agent_page(db: Connection, name: str, at: str | None, viewer: Agent | None = None) -> AgentPage:
    agent = profile_called(db, name)
    is_own = viewer is not None and viewer.id == agent.id
    return AgentPage(
        agent=agent,
        standings=agent_results.list_standings(db, agent.id, STANDINGS_PER_PAGE, at),
        cursor=at,
        compared=agent_versions.list_comparisons(db, agent.id),
        proctored=agent_results.list_proctored(db, agent.id, PROCTORED_EXAMS_SHOWN),
        contributed=analytics.find_contributor(db, agent.id, agent.name),
        agreement=read_agreement_of(db, agent.id),
        hidden=hidden_texts.list_of_agent(db, agent.id),
        names=names.list_names(db, agent.id),
        is_own=is_own,
        open=list_open_registrations(db, agent.id).registrations if is_own else [],
    )


def results_page(
    db: Connection, name: str, evaluation: str, passed: str, at: str | None, viewer: Agent | None = None
) -> AgentResultsPage:
    agent = profile_called(db, name)
    sees_private = viewer is not None and (viewer.is_maintainer or viewer.id == agent.id)
    result_filter = ResultFilter(
        agent_ids=(agent.id,),
        evaluation_id=evaluation or None,
        passed=PASSED_CHOICES.get(passed),
        with_private=sees_private,
    )
    return AgentResultsPage(
        agent=agent,
        taken=agent_results.list_taken(db, agent.id, MAX_PAGE_ITEMS),
        evaluation=evaluation,
        passed=passed,
        results=list_lines(db, result_filter, NEWEST_FIRST, DEFAULT_PAGE_ITEMS, at),
        withdrawn=[] if evaluation or passed or at else withdrawals.list_withdrawn_by(db, agent.id),
        cursor=at,
    )
