"""Who opens a page of a contribution: an account, or a browser that holds the tokens of drafts in a cookie."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from litestar import Request, Response
from litestar.datastructures import Cookie
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.contributions import ownership, validating
from viva.contributions.model import Contribution
from viva.contributions.ownership import CONTRIBUTION_KEY_PREFIX, Editor
from viva.contributions.store import NoSuchContribution
from viva.kit.db import Connection
from viva.web import logins, pages
from viva.web.wording import address, path_part

TOKENS_COOKIE = "viva_contributions"
MAX_TOKENS = 20  # as many drafts as one contributor may have; browsers keep at most 4 KiB in a cookie
MAX_ID_CHARACTERS = 60
TOKEN_CHARACTERS = len(CONTRIBUTION_KEY_PREFIX) + 43  # of 32 random bytes
TOKENS_SECONDS = 365 * 24 * 3600

CONTRIBUTE_PATH = "/evaluations/contribute"


def address_of_draft(contribution_id: str, part: str = "", **query: object) -> str:
    return address(f"{CONTRIBUTE_PATH}/{path_part(contribution_id)}{f'/{part}' if part else ''}", **query)


def cookie_name(hub: HubContext) -> str:
    """With the prefix, browsers accept the cookie only from this host, over https, for all paths."""
    return f"__Host-{TOKENS_COOKIE}" if hub.is_https else TOKENS_COOKIE


def tokens_in(request: Request) -> dict[str, str]:
    """The tokens of this browser by the id of their contribution. The newest comes first."""
    pairs = (pair.partition(":") for pair in request.cookies.get(cookie_name(hub_of(request)), "").split("."))
    found = {id_: token for id_, _, token in pairs if is_pair(id_, token)}
    return dict(list(found.items())[:MAX_TOKENS])


def is_pair(id_: str, token: str) -> bool:
    return 0 < len(id_) <= MAX_ID_CHARACTERS and is_token(token)


def is_token(token: str) -> bool:
    return len(token) == TOKEN_CHARACTERS and token.startswith(CONTRIBUTION_KEY_PREFIX) and token.isascii()


def tokens_cookie(request: Request, contribution_id: str, token: str | None) -> Cookie:
    """The cookie with one more token, or without that of the contribution."""
    hub = hub_of(request)
    others = {id_: held for id_, held in tokens_in(request).items() if id_ != contribution_id}
    kept = ({contribution_id: token} if token else {}) | others
    value = ".".join(f"{id_}:{held}" for id_, held in list(kept.items())[:MAX_TOKENS])
    return Cookie(
        cookie_name(hub),
        value=value,
        max_age=TOKENS_SECONDS if value else 0,
        path="/",
        httponly=True,
        samesite="lax",
        secure=hub.is_https,
    )


def editor_at(request: Request, db: Connection, contribution_id: str, viewer: Agent | None) -> Editor:
    """The visitor as an editor. An account goes before a token, unless only the token opens the draft."""
    token = tokens_in(request).get(contribution_id)
    try:
        found = ownership.find_editor(db, contribution_id, viewer)
    except NoSuchContribution:
        return ownership.find_editor(db, contribution_id, None, token)
    if found.role == "maintainer" and token:
        return find_by_token(db, contribution_id, token) or found
    return found


def find_by_token(db: Connection, contribution_id: str, token: str) -> Editor | None:
    try:
        return ownership.find_editor(db, contribution_id, None, token)
    except NoSuchContribution:
        return None


class ElsewhereError(Exception):
    """Another page shows the contribution in its present state."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


async def show_private(
    request: Request,
    template: str,
    read: Callable[[Connection], Any],
    status: int = 200,
    prepare: Callable[[], Awaitable[None]] | None = None,
) -> Response[str]:
    """A page that no cache stores, since a token opens it too."""
    response = await pages.show(request, template, read, status, prepare)
    response.headers["Cache-Control"] = "no-store"
    return response


async def validate_ahead(request: Request, contribution_id: str) -> None:
    """Validate for those who may read the contribution, before the page or the form that needs the outcome."""
    hub = hub_of(request)
    login_hash = logins.login_hash_of(request, hub)

    def read(db: Connection) -> Contribution:
        viewer: Agent | None = logins.viewer(db, login_hash, request)
        return editor_at(request, db, contribution_id, viewer).contribution

    await validating.validate_ahead(hub.database, read)


async def show_draft_page(
    request: Request,
    contribution_id: str,
    template: str,
    read: Callable[[Connection, Editor], Any],
    status: int = 200,
    is_validated: bool = False,
) -> Response[str] | Redirect:
    """A page for those who may read the contribution. For others it does not exist.

    With `is_validated`, the page shows what is wrong with the contribution."""

    def unit(db: Connection) -> Any:
        return read(db, editor_at(request, db, contribution_id, pages.frame_of(request).viewer))

    prepare = partial(validate_ahead, request, contribution_id) if is_validated else None
    try:
        return await show_private(request, template, unit, status, prepare)
    except ElsewhereError as elsewhere:
        return Redirect(elsewhere.address, status_code=303)
