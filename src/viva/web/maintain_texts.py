"""Pages of hidden texts for maintainers, and the address of one message."""

from dataclasses import dataclass
from typing import cast, get_args

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.kit.paging import DEFAULT_PAGE_ITEMS, Page
from viva.maintaining import hidden_texts, hiding
from viva.maintaining.hidden_texts import HiddenSubject, HiddenText, NotHidden
from viva.maintaining.subjects import NoSuchText
from viva.sessions import store as sessions
from viva.web import logins, pages
from viva.web.maintain_access import (
    MAINTAIN_PATH,
    MAX_MAINTAIN_FORM_BYTES,
    FormAction,
    MaintainForm,
    SignInAsMaintainer,
    act_as_maintainer,
    check_maintainer,
    show_to_maintainer,
)
from viva.web.queries import cursor, word
from viva.web.wording import address, path_part

HIDDEN_PATH = f"{MAINTAIN_PATH}/hidden"
DONE = {"shown": "It is shown again.", "erased": "It is erased for good."}
MESSAGES_AFTER = 50  # shown after the message that a report is about


@dataclass(frozen=True)
class HiddenTextsPage:
    found: Page[HiddenText]
    cursor: str | None
    notice: str = ""
    fault: str = ""
    path: str = HIDDEN_PATH


@get(HIDDEN_PATH)
async def list_hidden(request: Request) -> Response[str] | Redirect:
    at, done = cursor(request), [sentence for name, sentence in DONE.items() if word(request, name)]
    notice = "".join(done[:1])
    return await show_to_maintainer(request, "maintain/hidden.html", lambda db: hidden_page(db, at, notice))


def hidden_page(db: Connection, at: str | None, notice: str = "", fault: str = "") -> HiddenTextsPage:
    return HiddenTextsPage(hidden_texts.list_hidden(db, DEFAULT_PAGE_ITEMS, at), at, notice, fault)


class ErasingNotConfirmed(Invalid):
    """Tick that it is to be erased for good."""


def show_again(db: Connection, form: MaintainForm) -> str:
    hiding.show_again(db, subject_type_of(form), form.field("id"))
    return address(HIDDEN_PATH, shown=1)


def erase(db: Connection, form: MaintainForm) -> str:
    if not form.field("confirmed"):
        raise ErasingNotConfirmed()
    hiding.erase(db, subject_type_of(form), form.field("id"))
    return address(HIDDEN_PATH, erased=1)


def subject_type_of(form: MaintainForm) -> HiddenSubject:
    if form.field("type") not in get_args(HiddenSubject):
        raise NotHidden()
    return cast(HiddenSubject, form.field("type"))


@post(HIDDEN_PATH, request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def show_text_again(request: Request) -> Response[str] | Redirect:
    return await change_hidden(request, show_again)


@post(f"{HIDDEN_PATH}/erase", request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def erase_text(request: Request) -> Response[str] | Redirect:
    return await change_hidden(request, erase)


async def change_hidden(request: Request, action: FormAction) -> Response[str] | Redirect:
    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        return await show_to_maintainer(
            request, "maintain/hidden.html", lambda db: hidden_page(db, None, "", fault), status
        )

    return await act_as_maintainer(request, action, show_refusal)


@get(MAINTAIN_PATH + "/messages/{message_id:str}")
async def show_message(request: Request, message_id: str) -> Redirect:
    """Go to the page of the session that has the message."""
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)

    def read(db: Connection) -> str:
        check_maintainer(logins.viewer(db, login_hash, request))
        place = sessions.locate_message(db, message_id)
        if place is None:
            raise NoSuchText()
        path = f"/sessions/{path_part(place.session_id)}"
        return f"{address(path, before=place.sequence + MESSAGES_AFTER)}#msg-{place.sequence}"

    try:
        return Redirect(await hub.database.read(read), status_code=303)
    except SignInAsMaintainer:
        return Redirect(address("/login", next=request.url.path), status_code=303)
