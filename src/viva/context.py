"""What routes and pages know about their hub."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from litestar import Litestar
from litestar.connection import ASGIConnection
from litestar.types import Scope

from viva.contributions.announcing import CONTRIBUTION_EVENTS
from viva.contributions.destination import Destination
from viva.exams.announcing import EXAM_EVENTS
from viva.exams.model import HubFacts
from viva.jobs.processes import ProcessPool
from viva.judging.model import Judge
from viva.kit.db import Database, T, UnitOfWork
from viva.kit.limits import RateLimits
from viva.kit.lru_cache import LruCache
from viva.kit.units import run_in_threads
from viva.maintaining.reporting import REPORT_EVENTS
from viva.notices.delivering import WEBHOOK_EVENTS
from viva.results.export_files import Exports
from viva.sessions.feed import Feed
from viva.traces.quota import TraceQuota

# Every event that webhooks can ask for, with its sentence.
NOTICE_EVENTS = {**EXAM_EVENTS, **CONTRIBUTION_EVENTS, **REPORT_EVENTS, **WEBHOOK_EVENTS}
SLOW_READ_THREAD = ThreadPoolExecutor(1, "viva-slow-reads")


class HubContext(HubFacts, frozen=True, kw_only=True):
    """One hub: its secret, address, database and limits, and what its requests share in this process."""

    database: Database
    message_bytes: int
    body_bytes: int
    rate_limits: RateLimits | None  # None means no rate limit
    transcripts: LruCache[bytes]  # pages of transcripts, as JSON
    feed: Feed  # new messages of sessions, for streams
    exports: Exports  # files that are being sent
    folders: dict[str, Path]  # the folders of `data` and `database`
    destination: Destination  # where approved contributions go
    sends_email: bool  # otherwise e-mails stay in the outbox
    trace_quota: TraceQuota  # how much each account may store
    masking_key: bytes | None  # decides the placeholders for secrets in traces; None keeps the secrets
    engine: ProcessPool  # analyses without storing anything
    judges: tuple[Judge, ...]  # asked for first drafts of contributions; empty: none is configured
    registration: str = "open"  # who may make an account: `open`, `invite` or `closed`
    openapi: Callable[[Litestar], dict[str, Any]]  # makes the OpenAPI document of the app

    @property
    def is_https(self) -> bool:
        return self.base_url.startswith("https:")

    async def admit(self, key_hash: str | None, address: str) -> None:
        """Count the request. Refuse it if its key or its address sends too many."""
        if self.rate_limits:
            await self.rate_limits.admit(self.database, key_hash, address)


async def read_slowly(database: Database, unit: UnitOfWork[T]) -> T:
    """Read in a thread. SQLite reads in the event loop otherwise, and everybody would wait."""
    return await run_in_threads(SLOW_READ_THREAD, lambda: database.read_now(unit))


def hub_of(connection: ASGIConnection) -> HubContext:
    hub: HubContext = connection.app.state.hub
    return hub


def address_of(connection: ASGIConnection) -> str:
    """The network address of the caller."""
    return connection.client.host if connection.client else "unknown"


def note_account(connection: ASGIConnection, account_id: str | None) -> None:
    """Note the calling account, for the log line of the request."""
    set_in_scope(connection.scope, "account", account_id or "-")


def headers_in(scope: Scope) -> dict[bytes, bytes]:
    """The headers by name, made once for a request. Of a repeated header the first counts."""
    headers: dict[bytes, bytes] | None = cast(dict[str, Any], scope).get("headers_by_name")
    if headers is None:
        headers = dict(reversed(list(scope["headers"])))
        set_in_scope(scope, "headers_by_name", headers)
    return headers


def set_in_scope(scope: Scope, name: str, value: object) -> None:
    """Set a value of our own. The type of a scope knows only the keys of ASGI."""
    cast(dict[str, Any], scope)[name] = value
