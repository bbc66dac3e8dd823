"""The page of invitations for maintainers: make one, see its uses, revoke it."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import invitations
from viva.agents.invitations import JoinInvitation
from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, Page
from viva.web.maintain_access import (
    MAINTAIN_PATH,
    MAX_MAINTAIN_FORM_BYTES,
    MaintainForm,
    act_as_maintainer,
    show_to_maintainer,
)
from viva.web.queries import cursor, number, word
from viva.web.wording import address

INVITATIONS_PATH = f"{MAINTAIN_PATH}/invitations"


@dataclass(frozen=True)
class InvitationsListPage:
    registration: str
    found: Page[JoinInvitation]
    cursor: str | None
    notice: str = ""
    fault: str = ""
    link: str = ""  # of the invitation that was just made; its code is shown once
    code: str = ""


@get(INVITATIONS_PATH)
async def list_invitations(request: Request) -> Response[str] | Redirect:
    notice = "The invitation is revoked." if word(request, "revoked") else ""
    return await show_list(request, cursor(request), notice=notice)


async def show_list(
    request: Request, at: str | None = None, status: int = 200, **more: str
) -> Response[str] | Redirect:
    registration = hub_of(request).registration

    def read(db: Connection) -> InvitationsListPage:
        found = invitations.list_invitations(db, DEFAULT_PAGE_ITEMS, at)
        return InvitationsListPage(registration, found, at, **more)

    return await show_to_maintainer(request, "maintain/invitations.html", read, status)


@post(INVITATIONS_PATH, request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def change_invitations(request: Request) -> Response[str] | Redirect:
    """Make or revoke an invitation. A new code is shown once, so that its page is the answer itself."""
    made: list[str] = []

    def act(db: Connection, form: MaintainForm) -> str:
        if form.field("revoke"):
            invitations.revoke_invitation(db, form.field("revoke"))
            return address(INVITATIONS_PATH, revoked=1)
        uses, days = number(form.field("uses")), number(form.field("days"))
        made.append(invitations.make_invitation(db, uses, days, form.field("note")).code)
        return INVITATIONS_PATH

    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        return await show_list(request, None, status, fault=fault)

    answer = await act_as_maintainer(request, act, show_refusal)
    if not made:
        return answer
    link = hub_of(request).base_url + address("/join", invitation=made[0])
    return await show_list(request, code=made[0], link=link)
