"""The proctor's page: who waits to be examined, what waits to be marked, and one's own sessions."""

from dataclasses import dataclass, field
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import hub_of
from viva.exams import proctoring, visibility, waiting_list
from viva.exams.waiting_list import AwaitedSession, Candidate
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden, NotFound
from viva.sessions import live
from viva.sessions.live import LiveSession
from viva.sessions.store import AlreadyClaimed
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form
from viva.web.queries import word
from viva.web.sessions import here

WAITING_SHOWN = 100  # of each kind that waits
MAX_PROCTOR_FORM_BYTES = 4 * 1024  # of the form, which names a registration
SIGN_IN = "/login?next=/proctor"
TOO_LATE = "Another proctor was faster and examines this candidate now. Below is who still waits."
# What is told when another page has led here.
NOTICES = {
    "kept": "Your marks are kept. Another proctor’s are waited for before there is a result.",
    "given-back": "The candidate is back on the waiting list. What was said stays in the session that has ended.",
}


class Waits(NamedTuple):
    """A candidate, and for how many seconds already."""

    candidate: Candidate
    seconds: float


@dataclass(frozen=True)
class ProctorPage:
    to_claim: list[Waits] = field(default_factory=list)
    to_mark: list[AwaitedSession] = field(default_factory=list)
    open_sessions: list[LiveSession] = field(default_factory=list)
    notice: str = ""
    fault: str = ""  # why a claim was not possible


@get("/proctor")
async def list_waiting(request: Request) -> Response[str]:
    notice = next((told for name, told in NOTICES.items() if word(request, name)), "")
    return await answer(request, notice, "", 200)


async def answer(request: Request, notice: str, fault: str, status: int) -> Response[str]:
    def read(db: Connection) -> ProctorPage:
        return proctor_page(db, pages.frame_of(request).viewer, notice, fault)

    return await pages.show(request, "proctor/list.html", read, status)


def proctor_page(db: Connection, viewer: Agent | None, notice: str, fault: str) -> ProctorPage:
    if viewer is None:
        return ProctorPage()
    moment = now()
    waiting = proctoring.pending_anywhere(db, viewer, WAITING_SHOWN)
    return ProctorPage(
        to_claim=[Waits(one, (moment - one.started_at).total_seconds()) for one in waiting],
        to_mark=waiting_list.to_mark(db, viewer.id, WAITING_SHOWN, visibility.sees_drafts(viewer)),
        open_sessions=live.list_by_agent(db, viewer.id, WAITING_SHOWN),
        notice=notice,
        fault=fault,
    )


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
        claimed = proctoring.claim(db, written.get("evaluation", ""), written.get("registration", ""), viewer)
        return here(claimed.session.id)

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except (Conflict, Forbidden, NotFound) as error:
        fault = TOO_LATE if isinstance(error, AlreadyClaimed) else str(error)
        return await answer(request, "", fault, error.status)
