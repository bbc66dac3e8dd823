"""The ASGI app: everything wired together, and the one place where errors become answers."""

import asyncio
import contextlib
import logging
import signal
import threading
from collections.abc import AsyncIterator, Callable
from types import FrameType
from typing import Any

from litestar import Litestar, Request, Response, Router
from litestar.datastructures import State
from litestar.exceptions import MethodNotAllowedException
from litestar.types import ASGIApp

from viva import worker
from viva.api import (
    agents,
    cohorts,
    evaluations,
    exams,
    exports,
    health,
    jobs,
    me,
    metrics,
    openapi,
    problems,
    proctor,
    results,
    rubric,
    sessions,
    standings,
    streaming,
)
from viva.api import log as event_log
from viva.api.json import JsonResponse
from viva.api.requests import Requests
from viva.api.unavailable import UnavailableLog
from viva.config import Config, configured_judges
from viva.context import HubContext
from viva.judging.panel import Panel
from viva.kit.background import Background, BackgroundTask
from viva.kit.db import Database
from viva.kit.errors import Unavailable
from viva.kit.fetching import Fetcher
from viva.kit.limits import RateLimit, RateLimits
from viva.kit.lru_cache import LruCache
from viva.kit.opening import open_database
from viva.results.export_files import Exports
from viva.sessions.feed import Feed
from viva.web import errors as error_pages
from viva.web import routes as pages

MINUTE, HOUR = 60, 3600
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
TRANSCRIPT_CACHE_BYTES = 32 * 1024 * 1024
SERVER_JOB_CONCURRENCY = 2  # in a server process, which has requests to answer as well
API = Router(
    "/api/v1",
    route_handlers=[
        agents.router,
        me.router,
        evaluations.router,
        exams.router,
        proctor.router,
        cohorts.router,
        rubric.router,
        sessions.router,
        streaming.router,
        results.router,
        exports.router,
        standings.router,
        jobs.router,
        event_log.router,
    ],
)

log = logging.getLogger("viva")


def create() -> ASGIApp:
    """The app as a server process of `viva serve` runs it."""
    config = Config.from_environment()
    return Requests(litestar_app(config, open_database(config.database_url)), config.log)


def litestar_app(config: Config, database: Database) -> Litestar:
    return Litestar(
        route_handlers=[API, openapi.router, health.router, metrics.router, pages.router],
        state=state_of(config, database),
        lifespan=[background],
        exception_handlers={Exception: answer_error},
        request_max_body_size=config.body_bytes,
        openapi_config=None,
        logging_config=None,
    )


def state_of(config: Config, database: Database) -> State:
    """What handlers find at their app."""
    limits = rate_limits(config.rate_limit) if config.rate_limit else None
    hub = HubContext(
        config.secret,
        config.base_url,
        config.proof_hosts,
        database=database,
        message_bytes=config.message_bytes,
        body_bytes=config.body_bytes,
        rate_limits=limits,
        transcripts=LruCache(TRANSCRIPT_CACHE_BYTES),
        feed=Feed(database),
        exports=Exports(),
        openapi=openapi.document,
        folders=config.folders,
    )
    return State(
        {
            "hub": hub,
            "unavailable": UnavailableLog(),
            "readiness": health.ReadinessCheck(),
            "background": Background(background_tasks(config, database)),
        }
    )


def rate_limits(per_minute: int) -> RateLimits:
    """Many agents may share an address; writing without a key is making agents, which nobody does all day."""
    return RateLimits(
        key=RateLimit("key", per_minute, MINUTE),
        address=RateLimit("address", 5 * per_minute, MINUTE),
        anonymous=RateLimit("nameless", max(1, per_minute // 6), HOUR),
    )


def background_tasks(config: Config, database: Database) -> dict[str, BackgroundTask]:
    """What a server process does beside answering."""
    tasks: dict[str, BackgroundTask] = {"listen": database.listen}
    if config.has_worker:
        table = worker.work_table(Panel(configured_judges()), Fetcher(config.proof_hosts))
        tasks["sweep"] = lambda: worker.sweep_until_cancelled(database)
        tasks["work"] = lambda: worker.work_until_cancelled(
            database, table, SERVER_JOB_CONCURRENCY, config.lease_seconds
        )
    return tasks


@contextlib.asynccontextmanager
async def background(app: Litestar) -> AsyncIterator[None]:
    """Listen for other processes and do what nobody waits for, as long as the app runs."""
    database = app.state.hub.database
    app.state.background.start()
    when_asked_to_end(app.state.hub.feed.close)
    try:
        yield
    finally:
        await app.state.background.stop()
        await database.settle()
        database.close()


def when_asked_to_end(tell: Callable[[], None]) -> None:
    """Call `tell` before the server begins to wait for open connections, among which streams would never close."""
    if threading.current_thread() is not threading.main_thread():
        return  # signals come to the main thread only; here nobody is served but a test
    loop = asyncio.get_running_loop()
    for kind in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(kind)

        def handle(number: int, frame: FrameType | None, before: Any = before) -> None:
            loop.call_soon_threadsafe(tell)
            if callable(before):
                before(number, frame)

        signal.signal(kind, handle)


def answer_error(request: Request, error: Exception) -> JsonResponse | Response[str]:
    known = problems.as_viva_error(error)
    if isinstance(known, Unavailable):
        request.app.state.unavailable.add(known)
    elif known.status >= 500:
        log.error("%s failed", request.scope.get("request_id"), exc_info=error)
    if error_pages.is_page(request.scope["path"]):
        return error_pages.answer(request, known)
    allowed = methods_of(request) if known.status == 405 else ""
    return problems.answer(known, str(request.scope.get("request_id")), allowed)


def methods_of(request: Request) -> str:
    """The methods that the address takes, for the Allow header that RFC 9110 asks for."""
    taken = [method for method in METHODS if takes(request, method)]
    return ", ".join([*taken, *(["HEAD"] if "GET" in taken else []), "OPTIONS"])


def takes(request: Request, method: str) -> bool:
    try:
        request.app.asgi_router.handle_routing(request.scope["path"], method)
    except MethodNotAllowedException:
        return False
    return True
