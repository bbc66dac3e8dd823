"""The login cookie: a random token that says nothing, and who is signed in with it."""

from litestar import Request
from litestar.datastructures import Cookie

from viva.agents import logins
from viva.agents.model import Agent
from viva.context import HubContext, note_account
from viva.kit.db import Connection

COOKIE = "viva_login"
LIFETIME_SECONDS = int(logins.LOGIN_LIFETIME.total_seconds())
TOKEN_CHARACTERS = 43  # of 32 random bytes


def cookie_name(hub: HubContext) -> str:
    """With the prefix, a browser takes the cookie from this very host only, over https, for all paths."""
    return f"__Host-{COOKIE}" if hub.is_https else COOKIE


def cookie(hub: HubContext, token: str) -> Cookie:
    return login_cookie(hub, token, LIFETIME_SECONDS)


def expired_cookie(hub: HubContext) -> Cookie:
    return login_cookie(hub, "", 0)


def login_cookie(hub: HubContext, value: str, max_age: int) -> Cookie:
    return Cookie(
        cookie_name(hub), value=value, max_age=max_age, path="/", httponly=True, samesite="lax", secure=hub.is_https
    )


def login_hash_of(request: Request, hub: HubContext) -> str | None:
    """The hash of the token in the cookie, whether it opens anything or not."""
    token = request.cookies.get(cookie_name(hub), "")
    return logins.hash_of(token) if len(token) == TOKEN_CHARACTERS else None


def viewer(db: Connection, login_hash: str | None, request: Request) -> Agent | None:
    """Who looks; looked up each time, so that signing out or revoking the key ends it at once. The log line names them."""
    found = logins.find_agent(db, login_hash) if login_hash else None
    if found:
        note_account(request, found.id)
    return found
