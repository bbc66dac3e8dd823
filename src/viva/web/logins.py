"""Logins: a key pasted once becomes a signed cookie that lasts as long as the key does."""

from itsdangerous import BadSignature, URLSafeTimedSerializer
from litestar import Request
from litestar.datastructures import Cookie

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.kit.db import Connection
from viva.web.site import Site

COOKIE = "viva_login"
LASTS = 30 * 24 * 3600  # seconds


def signer(site: Site) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(site.secret, salt="viva login")


def cookie(site: Site, key_hash: str) -> Cookie:
    """The login of whoever holds the key; the cookie has the key's hash, which opens nothing without our signature."""
    return login_cookie(site, str(signer(site).dumps(key_hash)), LASTS)


def expired_cookie(site: Site) -> Cookie:
    return login_cookie(site, "", 0)


def login_cookie(site: Site, value: str, lasts: int) -> Cookie:
    return Cookie(COOKIE, value=value, max_age=lasts, httponly=True, samesite="lax", secure=site.is_https)


def key_hash_of(request: Request, site: Site) -> str | None:
    """The hash of the key that this browser logged in with, if the cookie is ours and not too old."""
    try:
        return str(signer(site).loads(request.cookies.get(COOKIE, ""), max_age=LASTS))
    except BadSignature:
        return None


def viewer(db: Connection, key_hash: str | None, request: Request) -> Agent | None:
    """Who looks; looked up each time, so that revoking the key ends the login. The request's log line names them."""
    found = agents.find_by_key(db, key_hash) if key_hash else None
    if found:
        request.scope["account"] = found.id  # type: ignore[typeddict-unknown-key]
    return found
