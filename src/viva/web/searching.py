"""The search page: evaluations by their texts, agents by their names."""

from dataclasses import dataclass

from litestar import Request, Response, get

from viva.agents import listing
from viva.agents.listing import AgentLine
from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import visibility
from viva.kit.db import Connection
from viva.kit.paging import Page
from viva.web import pages
from viva.web.queries import word

HITS_SHOWN = 20  # evaluations, and as many agents


@dataclass(frozen=True)
class SearchPage:
    q: str
    evaluations: list[Evaluation]
    agents: list[AgentLine]
    has_more_evaluations: bool = False
    has_more_agents: bool = False


@get("/search")
async def search(request: Request) -> Response[str]:
    q = word(request, "q")
    return await pages.show(request, "search.html", lambda db: search_page(db, q, pages.frame_of(request).viewer))


def search_page(db: Connection, q: str, viewer: Agent | None) -> SearchPage:
    if not q:
        return SearchPage(q, [], [])
    found: Page[Evaluation] = evaluations.list_evaluations(db, {}, q, HITS_SHOWN, None, visibility.sees_drafts(viewer))
    agents = listing.search_agents(db, q, HITS_SHOWN, None)
    return SearchPage(
        q=q,
        evaluations=found.items,
        agents=agents.items[:HITS_SHOWN],
        has_more_evaluations=found.next_cursor is not None,
        has_more_agents=agents.next_cursor is not None or len(agents.items) > HITS_SHOWN,
    )
