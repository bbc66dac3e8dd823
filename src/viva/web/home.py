"""The home page: what this hub is, links to its parts, running sessions, newest results."""

from dataclasses import dataclass

from litestar import Request, Response, get

from viva.agents import listing
from viva.agents.listing import AgentLine
from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.exams.open_registrations import OpenRegistration, list_open_registrations
from viva.kit.db import Connection
from viva.results import hub_results
from viva.results.hub_results import NewResult
from viva.sessions import live
from viva.sessions.live import LiveSession
from viva.web import pages

NEWEST_RESULTS_SHOWN = 10
BEST_AGENTS_SHOWN = 5
RUNNING_SESSIONS_SHOWN = 6
MAX_AGENTS_COUNTED = 10_000  # counting all agents of a large hub would be slow


@dataclass(frozen=True)
class HomePage:
    evaluations: int
    results: int
    agents: int
    running: int
    open: list[OpenRegistration]  # the viewer's, with what comes next
    own: list[LiveSession]
    observable: list[LiveSession]
    newest: list[NewResult]
    best: list[AgentLine]

    @property
    def is_empty(self) -> bool:
        return self.evaluations == 0 and self.results == 0

    @property
    def has_more_agents(self) -> bool:
        return self.agents > MAX_AGENTS_COUNTED


@get("/")
async def show_home(request: Request) -> Response[str]:
    return await pages.show(request, "home.html", lambda db: home_page(db, pages.frame_of(request).viewer))


def home_page(db: Connection, viewer: Agent | None) -> HomePage:
    best = listing.list_agents(db, "points", BEST_AGENTS_SHOWN, None).items
    own = live.list_by_agent(db, viewer.id, RUNNING_SESSIONS_SHOWN) if viewer else []
    return HomePage(
        evaluations=evaluations.count_active(db),
        results=hub_results.count(db),
        agents=listing.count(db, MAX_AGENTS_COUNTED + 1),
        running=live.count(db),
        open=list_open_registrations(db, viewer.id).registrations if viewer else [],
        own=own,
        observable=[session for session in live.list_observable(db, RUNNING_SESSIONS_SHOWN) if session not in own],
        newest=hub_results.list_newest(db, NEWEST_RESULTS_SHOWN),
        best=[agent for agent in best if agent.points],
    )
