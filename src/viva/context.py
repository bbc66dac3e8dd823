"""What routes and pages know of the hub that they belong to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from litestar import Litestar
from litestar.connection import ASGIConnection

from viva.exams.model import Hall
from viva.kit.db import Database
from viva.kit.limits import RateLimits
from viva.kit.lru_cache import LruCache
from viva.results.export_files import Exports
from viva.sessions.feed import Feed
from viva.sessions.model import Message


class HubContext(Hall, frozen=True, kw_only=True):
    """One hub: its secret and address, its database, its limits, and what its requests share in this process."""

    database: Database
    message_bytes: int
    body_bytes: int
    rate_limits: RateLimits | None  # None lifts every limit of frequency
    transcripts: LruCache[list[Message]]  # pages of them that were read
    feed: Feed  # news of sessions, for streams
    exports: Exports  # files on their way out
    folders: dict[str, Path]  # where data and database are, by what is there
    openapi: Callable[[Litestar], dict[str, Any]]  # gives the OpenAPI document of the app

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https:")

    async def admit(self, key_hash: str | None, address: str) -> None:
        """Count the request, and refuse it if its key or its address calls too often."""
        if self.rate_limits:
            await self.rate_limits.admit(self.database, key_hash, address)


def hub_of(connection: ASGIConnection) -> HubContext:
    hub: HubContext = connection.app.state.hub
    return hub


def address_of(connection: ASGIConnection) -> str:
    """The network address of the caller."""
    return connection.client.host if connection.client else "unknown"


def note_account(connection: ASGIConnection, account_id: str | None) -> None:
    """Name who calls, for the log line of the request."""
    cast(dict[str, Any], connection.scope)["account"] = account_id or "-"
