"""What the pages need to know of the hub they belong to."""

from collections.abc import Callable
from typing import Any

from litestar import Litestar, Request
from msgspec import Struct

from viva.kit.db import Database
from viva.kit.limits import RateLimits
from viva.sessions.feed import Feed


class Site(Struct, frozen=True):
    """`base_url` is the address people type; `rate_limits` is None where frequency is not limited.

    `openapi` gives the OpenAPI document of the app, `feed` the news of sessions, and a message has at most
    `message_bytes`.
    """

    base_url: str
    database: Database
    secret: bytes
    rate_limits: RateLimits | None
    openapi: Callable[[Litestar], dict[str, Any]]
    message_bytes: int
    feed: Feed

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https:")


def site_of(request: Request) -> Site:
    site: Site = request.app.state.site
    return site
