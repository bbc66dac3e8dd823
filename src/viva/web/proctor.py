"""The proctor's page: waiting candidates, sheets to mark, second readings, and the viewer's open sessions."""

from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import hub_of
from viva.evaluations import store as evaluations
from viva.exams import marking_work, proctoring, waiting_worth
from viva.exams.model import ProctorPolicy
from viva.exams.waiting_list import AwaitedReading, AwaitedSheet, Candidate
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden, NotFound
from viva.results.official import Worth
from viva.sessions import live
from viva.sessions.live import LiveSession
from viva.sessions.store import AlreadyClaimed
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form
from viva.web.queries import word
from viva.web.sessions import here

MAX_WAITING_SHOWN = 100  # in each list
MAX_PROCTOR_FORM_BYTES = 4 * 1024  # the form names a registration
SIGN_IN = "/login?next=/proctor"
TOO_LATE = "Another proctor has already claimed this candidate. The candidates below still wait."
# The notice for a visitor that another page has redirected here, by query parameter.
NOTICES = {
    "kept": "Your marks are saved. The result follows when another proctor has marked it too.",
    "given-back": "The candidate is back on the waiting list. The ended session keeps its transcript.",
    "sheet-back": "Another marker can take the sheet now.",
    "read": "Your verdict is saved. Thank you for reading.",
    "reading-back": "Another marker can take the reading now.",
}


class ClaimableCandidate(NamedTuple):
    candidate: Candidate
    waiting_seconds: float
    worth: Worth


class DrawnEvaluation(NamedTuple):
    """An evaluation whose candidates are drawn, and how many of those listed wait."""

    id: str
    name: str
    waiting: int
    waiting_seconds: float  # of the one who has waited longest


@dataclass(frozen=True)
class ProctorPage:
    to_claim: list[ClaimableCandidate] = field(default_factory=list)
    to_draw: list[DrawnEvaluation] = field(default_factory=list)
    next_in: list[Candidate] = field(default_factory=list)  # the first candidate of each evaluation with candidates
    to_mark: list[AwaitedSheet] = field(default_factory=list)
    to_read: list[AwaitedReading] = field(default_factory=list)
    open_sessions: list[LiveSession] = field(default_factory=list)
    notice: str = ""
    fault: str = ""  # why a claim was not possible


@get("/proctor")
async def list_waiting(request: Request) -> Response[str]:
    notice = next((text for name, text in NOTICES.items() if word(request, name)), "")
    return await answer(request, notice, "", 200)


async def answer(request: Request, notice: str, fault: str, status: int) -> Response[str]:
    def read(db: Connection) -> ProctorPage:
        return proctor_page(db, pages.frame_of(request).viewer, hub_of(request).proctors, notice, fault)

    return await pages.show(request, "proctor/list.html", read, status)


def proctor_page(db: Connection, viewer: Agent | None, policy: ProctorPolicy, notice: str, fault: str) -> ProctorPage:
    if viewer is None:
        return ProctorPage()
    moment = now()
    waiting = proctoring.list_waiting_everywhere(db, viewer, MAX_WAITING_SHOWN)
    worths = waiting_worth.assess_candidates(db, policy, viewer, waiting)
    drawn = evaluations.list_drawn(db)
    work = marking_work.list_work(db, viewer, policy, MAX_WAITING_SHOWN)
    return ProctorPage(
        to_claim=[
            ClaimableCandidate(candidate, (moment - candidate.started_at).total_seconds(), worth)
            for candidate, worth in zip(waiting, worths, strict=True)
            if candidate.evaluation_id not in drawn
        ],
        to_draw=list_drawn([candidate for candidate in waiting if candidate.evaluation_id in drawn]),
        next_in=list({candidate.evaluation_id: candidate for candidate in reversed(waiting)}.values())[::-1],
        to_mark=work.sheets,
        to_read=work.readings,
        open_sessions=live.list_by_agent(db, viewer.id, MAX_WAITING_SHOWN),
        notice=notice,
        fault=fault,
    )


def list_drawn(waiting: list[Candidate]) -> list[DrawnEvaluation]:
    """Evaluations in the order of their candidates' waiting, who are not named: nobody can choose one."""
    ordered = sorted(waiting, key=lambda candidate: candidate.evaluation_id)
    groups = [list(group) for _, group in groupby(ordered, key=lambda candidate: candidate.evaluation_id)]
    return [
        DrawnEvaluation(
            group[0].evaluation_id,
            group[0].evaluation_name,
            len(group),
            (now() - min(candidate.started_at for candidate in group)).total_seconds(),
        )
        for group in groups
    ]


@post("/proctor/claim", request_max_body_size=MAX_PROCTOR_FORM_BYTES)
async def claim(request: Request) -> Response[str] | Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    written = fields_in(await request.body())

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return SIGN_IN
        evaluation_id, registration_id = written.get("evaluation", ""), written.get("registration")
        if registration_id:
            claimed = proctoring.claim(db, evaluation_id, registration_id, viewer, hub.proctors)
        else:
            claimed = proctoring.claim_next(db, evaluation_id, viewer, hub.proctors)
        return here(claimed.session.id)

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except (Conflict, Forbidden, NotFound) as error:
        fault = TOO_LATE if isinstance(error, AlreadyClaimed) else str(error)
        return await answer(request, "", fault, error.status)
