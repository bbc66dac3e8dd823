"""The overview for maintainers: open reports, newest accounts, what is suspended, hidden or closed."""

from dataclasses import dataclass

from litestar import Request, Response, get
from litestar.response import Redirect

from viva.agents import invitations, maintained
from viva.agents.invitations import JoinInvitation
from viva.agents.maintained import AgentSearch, MaintainedAgent
from viva.context import hub_of
from viva.evaluations import closing
from viva.evaluations.closing import EvaluationClosing
from viva.exams import claim_links, waiting_claims
from viva.exams.registering import BrokenEvaluation, list_broken
from viva.exams.waiting_claims import WaitingClaim
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.maintaining import hidden_texts, reports
from viva.maintaining.hidden_texts import HiddenText
from viva.maintaining.reports import FiledReport
from viva.web.maintain_access import MAINTAIN_PATH, show_to_maintainer

LINES_SHOWN = 5  # of each list; its own page has the others


class ClaimLine(WaitingClaim, frozen=True):
    """An agent that waits for a maintainer to confirm its owner, and where."""

    path: str


@dataclass(frozen=True)
class OverviewPage:
    registration: str
    open_reports: int
    reports: list[FiledReport]
    newest: list[MaintainedAgent]
    suspended: int
    claims: list[ClaimLine]
    hidden: list[HiddenText]
    invitations: list[JoinInvitation]
    closed: list[EvaluationClosing]
    broken: list[BrokenEvaluation]
    waiting_minutes: int  # of the oldest job that waits; a worker does it within seconds


@get(MAINTAIN_PATH)
async def show_overview(request: Request) -> Response[str] | Redirect:
    hub = hub_of(request)
    return await show_to_maintainer(
        request, "maintain/overview.html", lambda db: overview_page(db, hub.registration, hub.secret)
    )


def overview_page(db: Connection, registration: str, secret: bytes) -> OverviewPage:
    oldest = queue.find_oldest_waiting(db)
    return OverviewPage(
        registration=registration,
        open_reports=reports.count_open(db),
        reports=reports.list_reports(db, "open", None, LINES_SHOWN).items,
        newest=maintained.list_maintained(db, AgentSearch(), LINES_SHOWN).items,
        suspended=maintained.count_matching(db, AgentSearch(filters=("suspended",))),
        claims=[claim_line(claim, secret) for claim in waiting_claims.list_waiting(db, LINES_SHOWN)],
        hidden=hidden_texts.list_hidden(db, LINES_SHOWN, None).items,
        invitations=[made for made in invitations.list_invitations(db, LINES_SHOWN).items if made.is_valid],
        closed=closing.list_closed(db)[:LINES_SHOWN],
        broken=list_broken(db)[:LINES_SHOWN],
        waiting_minutes=int((now() - oldest.created_at).total_seconds() // 60) if oldest else 0,
    )


def claim_line(claim: WaitingClaim, secret: bytes) -> ClaimLine:
    token = claim_links.make_signer(secret).dumps(claim.registration_id)
    return ClaimLine(claim.registration_id, claim.agent_name, claim.started_at, f"/claim/{token}")
