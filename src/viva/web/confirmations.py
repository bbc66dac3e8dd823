"""The page of the link in an e-mail, on which the owner of a mailbox confirms its address."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.context import hub_of
from viva.kit.db import Connection
from viva.notices import addresses, confirming
from viva.web import pages
from viva.web.origins import check_own_form

MAX_CONFIRMATION_FORM_BYTES = 4 * 1024  # the form has no fields


@dataclass(frozen=True)
class ConfirmationPage:
    agent: Agent
    address: str
    is_confirmed: bool
    action: str  # where the form goes: the link itself


@get("/notices/confirm/{token:str}")
async def show_confirmation(request: Request, token: str) -> Response[str]:
    """Mail programs open links by themselves, so that only the button confirms."""
    account_id, address = confirming.read_confirmation(hub_of(request).secret, token)

    def read(db: Connection) -> ConfirmationPage:
        is_confirmed = addresses.find_address(db, account_id) == address
        return ConfirmationPage(agents.get(db, account_id), address, is_confirmed, f"/notices/confirm/{token}")

    return await pages.show(request, "notices/confirm.html", read)


@post("/notices/confirm/{token:str}", request_max_body_size=MAX_CONFIRMATION_FORM_BYTES)
async def confirm_address(request: Request, token: str) -> Redirect:
    check_own_form(request)
    hub = hub_of(request)
    await pages.admit(request, hub)

    await pages.write(request, lambda db: confirming.confirm(db, hub.secret, token))
    return Redirect(f"/notices/confirm/{token}", status_code=303)
