"""Logins: a key pasted once becomes a signed cookie that lasts as long as the key does."""

from itsdangerous import BadSignature, URLSafeTimedSerializer
from litestar import Request
from litestar.datastructures import Cookie

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.context import HubContext
from viva.kit.db import Connection

COOKIE = "viva_login"
LASTS = 30 * 24 * 3600  # seconds


def signer(hub: HubContext) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(hub.secret, salt="viva login")


def cookie(hub: HubContext, key_hash: str) -> Cookie:
    """The login of whoever holds the key; the cookie has the key's hash, which opens nothing without our signature."""
    return login_cookie(hub, str(signer(hub).dumps(key_hash)), LASTS)


def expired_cookie(hub: HubContext) -> Cookie:
    return login_cookie(hub, "", 0)


def login_cookie(hub: HubContext, value: str, lasts: int) -> Cookie:
    return Cookie(COOKIE, value=value, max_age=lasts, httponly=True, samesite="lax", secure=hub.is_https)


def key_hash_of(request: Request, hub: HubContext) -> str | None:
    """The hash of the key that this browser logged in with, if the cookie is ours and not too old."""
    try:
        return str(signer(hub).loads(request.cookies.get(COOKIE, ""), max_age=LASTS))
    except BadSignature:
        return None


def viewer(db: Connection, key_hash: str | None) -> Agent | None:
    """Who looks; looked up each time, so that revoking the key ends the login."""
    return agents.find_by_key(db, key_hash) if key_hash else None
