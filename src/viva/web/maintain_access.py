"""The pages of maintainers: who may see them, and how their forms act."""

from collections.abc import Callable
from typing import Any

from litestar import Request, Response
from litestar.response import Redirect

from viva.agents.access import require_maintainer
from viva.agents.model import Agent
from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Invalid, NotFound
from viva.web import logins, pages
from viva.web.forms import fields_in, refusal_text, values_in
from viva.web.origins import check_own_form
from viva.web.wording import address

MAX_MAINTAIN_FORM_BYTES = 256 * 1024  # a thousand ids of agents, and a reason
MAINTAIN_PATH = "/maintain"


class SignInAsMaintainer(Exception):
    """Nobody is signed in."""


class MaintainForm:
    """What a form of a maintainer sent: its fields, and all values of those that come several times."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.fields = fields_in(body)

    def field(self, name: str) -> str:
        return self.fields.get(name, "")

    def values(self, name: str) -> list[str]:
        return values_in(self._body, name)


# Does what a form asks, and returns the address that shows it.
FormAction = Callable[[Connection, MaintainForm], str]
# Shows the page again with the reason why the form was refused.
ShowRefusal = Callable[[str, MaintainForm, int], Any]


async def show_to_maintainer(
    request: Request, template: str, read: Callable[[Connection], Any], status: int = 200
) -> Response[str] | Redirect:
    """Show the page to a maintainer. Others are refused, and visitors sign in first."""

    def unit(db: Connection) -> Any:
        check_maintainer(pages.frame_of(request).viewer)
        return read(db)

    try:
        return await pages.show(request, template, unit, status)
    except SignInAsMaintainer:
        return Redirect(address("/login", next=request.url.path), status_code=303)


def check_maintainer(viewer: Agent | None) -> None:
    if viewer is None:
        raise SignInAsMaintainer
    require_maintainer(viewer)


async def act_as_maintainer(
    request: Request, action: FormAction, show_refusal: ShowRefusal
) -> Response[str] | Redirect:
    """Do what the form asks. A refused form is shown again with its texts."""
    check_own_form(request)
    login_hash = await pages.admit(request, hub_of(request))
    form = MaintainForm(await request.body())

    def unit(db: Connection) -> str:
        check_maintainer(logins.viewer(db, login_hash, request))
        return action(db, form)

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except SignInAsMaintainer:
        return Redirect(address("/login", next=MAINTAIN_PATH), status_code=303)
    except (Conflict, Invalid, NotFound) as error:
        shown: Response[str] | Redirect = await show_refusal(refusal_text(error), form, error.status)
        return shown
