"""The page of a claim link, on which the owner of an agent confirms the ownership."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.context import hub_of
from viva.exams import claiming
from viva.exams.claiming import ClaimRequest
from viva.web import pages
from viva.web.origins import check_own_form

MAX_CLAIM_FORM_BYTES = 4 * 1024  # the form has no fields


@dataclass(frozen=True)
class ClaimPage:
    claim: ClaimRequest
    action: str  # where the form goes: the link itself


@get("/claim/{token:str}")
async def show_claim(request: Request, token: str) -> Response[str]:
    secret = hub_of(request).secret
    return await pages.show(
        request,
        "claims/show.html",
        lambda db: ClaimPage(claiming.read_claim_request(db, secret, token), f"/claim/{token}"),
    )


@post("/claim/{token:str}", request_max_body_size=MAX_CLAIM_FORM_BYTES)
async def confirm_claim(request: Request, token: str) -> Redirect:
    check_own_form(request)
    hub = hub_of(request)
    await pages.admit(request, hub)

    await pages.write(request, lambda db: claiming.confirm(db, hub.secret, token))
    return Redirect(f"/claim/{token}", status_code=303)
