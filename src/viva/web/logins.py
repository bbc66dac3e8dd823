"""The login cookie: a random token that says nothing, and who is signed in with it."""

from litestar import Request
from litestar.datastructures import Cookie

from viva.agents import logins
from viva.agents.model import Agent
from viva.kit.db import Connection
from viva.web.site import Site

COOKIE = "viva_login"
LIFETIME_SECONDS = int(logins.LOGIN_LIFETIME.total_seconds())
TOKEN_CHARACTERS = 43  # of 32 random bytes


def cookie_name(site: Site) -> str:
    """With the prefix, a browser takes the cookie from this very host only, over https, for all paths."""
    return f"__Host-{COOKIE}" if site.is_https else COOKIE


def cookie(site: Site, token: str) -> Cookie:
    return login_cookie(site, token, LIFETIME_SECONDS)


def expired_cookie(site: Site) -> Cookie:
    return login_cookie(site, "", 0)


def login_cookie(site: Site, value: str, max_age: int) -> Cookie:
    return Cookie(
        cookie_name(site), value=value, max_age=max_age, path="/", httponly=True, samesite="lax", secure=site.is_https
    )


def login_hash_of(request: Request, site: Site) -> str | None:
    """The hash of the token in the cookie, whether it opens anything or not."""
    token = request.cookies.get(cookie_name(site), "")
    return logins.hash_of(token) if len(token) == TOKEN_CHARACTERS else None


def viewer(db: Connection, login_hash: str | None, request: Request) -> Agent | None:
    """Who looks; looked up each time, so that signing out or revoking the key ends it at once. The log line names them."""
    found = logins.find_agent(db, login_hash) if login_hash else None
    if found:
        request.scope["account"] = found.id  # type: ignore[typeddict-unknown-key]
    return found
