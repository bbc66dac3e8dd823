"""The login cookie, a random token, and the agent that is signed in with it."""

from litestar import Request
from litestar.datastructures import Cookie

from viva.agents import logins
from viva.agents.model import Agent
from viva.context import HubContext, note_account
from viva.kit.db import Connection

COOKIE_NAME = "viva_login"
LIFETIME_SECONDS = int(logins.LOGIN_LIFETIME.total_seconds())
TOKEN_CHARACTERS = 43  # of 32 random bytes


def cookie_name(hub: HubContext) -> str:
    """With the prefix, browsers accept the cookie only from this host, over https, for all paths."""
    return f"__Host-{COOKIE_NAME}" if hub.is_https else COOKIE_NAME


def cookie(hub: HubContext, token: str) -> Cookie:
    return login_cookie(hub, token, LIFETIME_SECONDS)


def expired_cookie(hub: HubContext) -> Cookie:
    return login_cookie(hub, "", 0)


def login_cookie(hub: HubContext, value: str, max_age: int) -> Cookie:
    return Cookie(
        cookie_name(hub), value=value, max_age=max_age, path="/", httponly=True, samesite="lax", secure=hub.is_https
    )


def login_hash_of(request: Request, hub: HubContext) -> str | None:
    """The hash of the token in the cookie. The token may be invalid."""
    token = request.cookies.get(cookie_name(hub), "")
    return logins.hash_of(token) if len(token) == TOKEN_CHARACTERS else None


def viewer(db: Connection, login_hash: str | None, request: Request) -> Agent | None:
    """Find the agent that is signed in, and name it in the log line.

    Each request reads it again, so that signing out or revoking the key takes effect at once.
    """
    found = logins.find_agent(db, login_hash) if login_hash else None
    if found:
        note_account(request, found.id)
    return found
