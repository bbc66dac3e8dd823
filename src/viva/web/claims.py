"""The page of a claim link, on which a maintainer confirms who owns an agent."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.context import hub_of
from viva.exams import claiming
from viva.exams.claiming import ClaimRequest, OwnerNeeded
from viva.kit.db import Connection
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form

MAX_CLAIM_FORM_BYTES = 8 * 1024  # the name of an owner


@dataclass(frozen=True)
class ClaimPage:
    claim: ClaimRequest
    action: str  # where the form goes: the link itself
    may_confirm: bool  # a maintainer, who is not the agent itself
    fault: str = ""
    owner: str = ""


@get("/claim/{token:str}")
async def show_claim(request: Request, token: str) -> Response[str]:
    return await show_page(request, token)


async def show_page(request: Request, token: str, fault: str = "", owner: str = "", status: int = 200) -> Response[str]:
    secret = hub_of(request).secret

    def read(db: Connection) -> ClaimPage:
        claim, viewer = claiming.read_claim_request(db, secret, token), pages.frame_of(request).viewer
        may_confirm = viewer is not None and viewer.is_maintainer and viewer.id != claim.agent.id
        return ClaimPage(claim, f"/claim/{token}", may_confirm, fault, owner)

    return await pages.show(request, "claims/show.html", read, status)


@post("/claim/{token:str}", request_max_body_size=MAX_CLAIM_FORM_BYTES)
async def confirm_claim(request: Request, token: str) -> Response[str] | Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    owner = fields_in(await request.body()).get("owner", "")

    def unit(db: Connection) -> None:
        maintainer = logins.viewer(db, login_hash, request)
        if maintainer is None:
            raise MaintainersOnly()
        require_maintainer(maintainer)
        claiming.confirm(db, hub.secret, token, owner)

    try:
        await pages.write(request, unit)
    except OwnerNeeded as error:
        return await show_page(request, token, str(error), owner, error.status)
    return Redirect(f"/claim/{token}", status_code=303)
