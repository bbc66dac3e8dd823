"""Signing in with an API key, and out again."""

from dataclasses import dataclass
from urllib.parse import parse_qs

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import store as agents
from viva.agents.access import Key
from viva.web import logins, pages
from viva.web.origins import check_own_form
from viva.web.site import site_of

AFTER = "/evaluations"
MOST_BYTES = 4 * 1024  # of the form: a key has 48, and reading a form of megabytes would hold everybody up


@dataclass(frozen=True)
class LoginPage:
    is_wrong: bool = False


@get("/login")
async def show_login(request: Request) -> Response[str]:
    return await pages.show(request, "login.html", lambda db: LoginPage())


@post("/login", request_max_body_size=MOST_BYTES)
async def log_in(request: Request) -> Response[str] | Redirect:
    check_own_form(request)
    site = site_of(request)
    await pages.admitted(request, site)
    key = Key(key_in(await request.body()))

    agent = await site.database.read(lambda db: agents.find_by_key(db, key.hash))
    if agent is None:
        return await pages.show(request, "login.html", lambda db: LoginPage(is_wrong=True), status=401)
    return Redirect(AFTER, status_code=303, cookies=[logins.cookie(site, key.hash)])


def key_in(form: bytes) -> str:
    """The key that the form holds; whatever else was sent holds none."""
    return parse_qs(form.decode(errors="replace")).get("key", [""])[0].strip()


@post("/logout")
async def log_out(request: Request) -> Redirect:
    check_own_form(request)
    return Redirect(AFTER, status_code=303, cookies=[logins.expired_cookie(site_of(request))])
