"""Signing in with an API key, and signing out."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import logins as stored
from viva.agents.access import ApiKey
from viva.context import hub_of
from viva.kit.db import Connection
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form
from viva.web.queries import MAX_QUERY_CHARACTERS, word

DEFAULT_NEXT_PATH = "/evaluations"
MAX_LOGIN_FORM_BYTES = 4 * 1024  # a key has 48 characters; parsing a large form would delay other requests


@dataclass(frozen=True)
class LoginPage:
    next: str  # the path to open after signing in
    is_wrong: bool = False


@get("/login")
async def show_login(request: Request) -> Response[str]:
    page = LoginPage(own_path(word(request, "next")))
    return await pages.show(request, "login.html", lambda db: page)


@post("/login", request_max_body_size=MAX_LOGIN_FORM_BYTES)
async def log_in(request: Request) -> Response[str] | Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    written = fields_in(await request.body())
    key, next_ = ApiKey(written.get("key", "")), own_path(written.get("next", ""))

    token = await pages.write(request, lambda db: begin_login(db, key, login_hash))
    if token is None:
        return await pages.show(request, "login.html", lambda db: LoginPage(next_, is_wrong=True), status=401)
    return Redirect(next_, status_code=303, cookies=[logins.cookie(hub, token)])


def begin_login(db: Connection, key: ApiKey, login_hash: str | None) -> str | None:
    """Replace this browser's login and return the new token. None if the key is unknown."""
    token = stored.add(db, key.hash)
    if token and login_hash:
        stored.end(db, login_hash)
    return token


def own_path(given: str) -> str:
    """Return the path if it belongs to this hub, else the default.

    Browsers read `//host` and `/\\host` as another site, and ignore tabs and line breaks in an address.
    """
    is_plain = given.isascii() and given.isprintable() and " " not in given and "\\" not in given
    is_own = is_plain and len(given) <= MAX_QUERY_CHARACTERS and given.startswith("/") and not given.startswith("//")
    return given if is_own else DEFAULT_NEXT_PATH


@post("/logout", request_max_body_size=MAX_LOGIN_FORM_BYTES)
async def log_out(request: Request) -> Redirect:
    """End the login of this browser, or of all browsers of the agent."""
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    end = stored.end_everywhere if fields_in(await request.body()).get("everywhere") else stored.end
    if login_hash:
        await hub.database.write(lambda db: end(db, login_hash))
    return Redirect(DEFAULT_NEXT_PATH, status_code=303, cookies=[logins.expired_cookie(hub)])
