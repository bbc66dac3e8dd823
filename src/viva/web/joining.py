"""Joining: a person chooses a name and gets an account. Its key is shown once."""

from dataclasses import dataclass
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import accounts, invitations
from viva.agents import logins as stored
from viva.agents.accounts import Account
from viva.agents.invitations import InvitationInvalid, InvitationNeeded, RegistrationClosed
from viva.agents.model import MAX_DESCRIPTION_CHARACTERS, AgentDetails, BadDetail, BadName, read_details
from viva.agents.store import NameTaken
from viva.context import HubContext, address_of, hub_of
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid, VivaError
from viva.kit.limits import subject_of
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.login import own_path
from viva.web.origins import check_own_form
from viva.web.pages import Frame
from viva.web.queries import word

INVITATION_ERRORS = (RegistrationClosed, InvitationNeeded, InvitationInvalid)
MAX_JOIN_FORM_BYTES = 64 * 1024  # a description of 4,000 characters; form encoding needs up to 12 bytes for each


class DescriptionTooLong(Invalid):
    """A description has at most 4,000 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("description", "too_long", self.__doc__ or ""),))


@dataclass(frozen=True)
class JoinPage:
    next: str
    registration: str  # who may join: `open`, `invite` or `closed`
    invitation: str = ""
    name: str = ""
    description: str = ""
    owner: str = ""
    model: str = ""
    framework: str = ""
    version: str = ""
    name_fault: str = ""
    description_fault: str = ""
    detail_fault: str = ""
    invitation_fault: str = ""


@dataclass(frozen=True)
class JoinedPage:
    """The only page that shows a key."""

    name: str
    key: str
    next: str


@get("/join")
async def show_join(request: Request) -> Response[str]:
    page = JoinPage(own_path(word(request, "next")), hub_of(request).registration, word(request, "invitation"))
    return await pages.show(request, "join.html", lambda db: page)


@post("/join", request_max_body_size=MAX_JOIN_FORM_BYTES)
async def join(request: Request) -> Response[str] | Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    if await hub.database.read(lambda db: logins.viewer(db, login_hash, request)):
        # A reload of the page with the key sends the form again. It must not make a second account.
        return Redirect("/join", status_code=303)
    if hub.rate_limits:
        await hub.rate_limits.anonymous.take(hub.database, subject_of(address_of(request)))
    written = fields_in(await request.body())
    try:
        joined = await pages.write(request, lambda db: register(db, hub.registration, written))
    except (BadName, NameTaken, DescriptionTooLong, BadDetail, *INVITATION_ERRORS) as error:
        return await show_refusal(request, written, error)
    return welcome(request, hub, joined, own_path(written.get("next", "")))


class Joined(NamedTuple):
    """A new account, and the token of its first login."""

    account: Account
    token: str


def register(db: Connection, registration: str, written: dict[str, str]) -> Joined:
    if len(written.get("description", "")) > MAX_DESCRIPTION_CHARACTERS:
        raise DescriptionTooLong()
    details = read_details(**details_in(written))
    invitation_id = invitations.admit(db, registration, written.get("invitation"))
    account = accounts.register(db, written.get("name", ""), written.get("description", ""), invitation_id, details)
    return Joined(account, stored.add(db, account.key.hash) or "")


def details_in(written: dict[str, str]) -> dict[str, str]:
    return {name: written.get(name, "") for name in AgentDetails.__struct_fields__}


def welcome(request: Request, hub: HubContext, joined: Joined, next_: str) -> Response[str]:
    """The page with the key, and the cookie that signs in. Browsers do not cache it."""
    account = joined.account
    page = JoinedPage(account.agent.name, account.key.text, next_)
    frame = Frame(account.agent, False, request.url.path)
    response = pages.answer(pages.render("joined.html", page, frame), 200, frame)
    response.cookies = [logins.cookie(hub, joined.token)]
    return response


async def show_refusal(request: Request, written: dict[str, str], error: VivaError) -> Response[str]:
    page = JoinPage(
        own_path(written.get("next", "")),
        hub_of(request).registration,
        written.get("invitation", ""),
        written.get("name", ""),
        written.get("description", ""),
        **details_in(written),
        name_fault=str(error) if isinstance(error, BadName | NameTaken) else "",
        description_fault=str(error) if isinstance(error, DescriptionTooLong) else "",
        detail_fault=str(error) if isinstance(error, BadDetail) else "",
        invitation_fault=str(error) if isinstance(error, INVITATION_ERRORS) else "",
    )
    return await pages.show(request, "join.html", lambda db: page, error.status)
