"""The ASGI app: it wires everything together and turns errors into answers."""

import asyncio
import contextlib
import gc
import logging
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from types import FrameType

from litestar import Litestar, Request, Response, Router
from litestar.datastructures import State
from litestar.exceptions import MethodNotAllowedException
from litestar.plugins import PluginProtocol
from litestar.plugins.core import MsgspecDIPlugin
from litestar.types import ASGIApp

from viva import worker
from viva.api import (
    agents,
    analyses,
    analysis_events,
    appeals,
    certificates,
    cohorts,
    contribution_analytics,
    contribution_approval,
    contribution_history,
    contribution_reviews,
    contribution_templates,
    contributions,
    datasets,
    evaluations,
    exams,
    exports,
    health,
    jobs,
    maintain_agents,
    maintain_evaluations,
    maintain_invitations,
    maintain_proctors,
    maintain_reports,
    maintain_texts,
    me,
    metrics,
    notices,
    openapi,
    otlp,
    problems,
    proctor,
    readings,
    results,
    rubric,
    schemas,
    sessions,
    signing_keys,
    standings,
    streaming,
    traces,
    uploads,
    webhooks,
    well_known,
)
from viva.api import log as event_log
from viva.api.json import JsonResponse
from viva.api.requests import Requests
from viva.api.unavailable import UnavailableLog
from viva.config import Config, configured_judges
from viva.context import HubContext
from viva.jobs.processes import ProcessPool
from viva.kit.background import Background, BackgroundTask
from viva.kit.db import Database
from viva.kit.errors import Unavailable, VivaError
from viva.kit.limits import MINUTE_SECONDS, RateLimit, RateLimits
from viva.kit.lru_cache import LruCache
from viva.kit.opening import open_database
from viva.protocols import a2a_route, mcp_route
from viva.results.export_files import Exports
from viva.sessions.feed import Feed
from viva.traces.quota import TraceQuota
from viva.web import errors as error_pages
from viva.web import routes as pages
from viva.web.pages import open_reader

HOUR_SECONDS = 3600
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
TRANSCRIPT_CACHE_BYTES = 32 * 1024 * 1024
COLLECTED_ALLOCATIONS = 10_000  # between two collections; Python's 700 are a dozen requests
SERVER_JOB_CONCURRENCY = 2  # low, because a server process also answers requests
SERVER_ENGINE_PROCESSES = 1  # started with the first analysis; with the engine it takes 300 MB
API = Router(
    "/api/v1",
    route_handlers=[
        agents.router,
        me.router,
        evaluations.router,
        contributions.router,
        contribution_templates.router,
        contribution_history.router,
        contribution_reviews.router,
        exams.router,
        proctor.router,
        cohorts.router,
        contribution_analytics.router,
        rubric.router,
        readings.router,
        sessions.router,
        streaming.router,
        results.router,
        appeals.router,
        certificates.router,
        exports.router,
        standings.router,
        jobs.router,
        notices.router,
        webhooks.router,
        event_log.router,
        signing_keys.router,
        contribution_approval.router,
        schemas.router,
        uploads.router,
        traces.router,
        analyses.router,
        analysis_events.router,
        datasets.router,
        maintain_agents.router,
        maintain_texts.router,
        maintain_invitations.router,
        maintain_evaluations.router,
        maintain_proctors.router,
        maintain_reports.router,
    ],
)

log = logging.getLogger("viva")


def create() -> ASGIApp:
    """The app as a server process of `viva serve` runs it."""
    config = Config.from_environment()
    app = Requests(litestar_app(config, open_database(config.database_url)), config.log)
    spare_collector()
    return app


def spare_collector() -> None:
    """Keep the garbage collector away from what lives as long as the process. It took a tenth of the time of a request.

    The start leaves about 1 MB of garbage. To search for it would take longer than to keep it."""
    gc.freeze()
    gc.set_threshold(COLLECTED_ALLOCATIONS)
    gc.enable()


class HubApp(Litestar):
    """An app without the plugins of libraries that Viva does not use. They took 80 ms at start, and 9 MB."""

    @staticmethod
    def _get_default_plugins(plugins: list[PluginProtocol]) -> list[PluginProtocol]:
        return [*plugins, MsgspecDIPlugin()]


def litestar_app(config: Config, database: Database) -> Litestar:
    return HubApp(
        route_handlers=[
            API,
            otlp.router,
            openapi.router,
            health.router,
            metrics.router,
            well_known.router,
            mcp_route.answer_mcp,
            a2a_route.show_card,
            a2a_route.answer_a2a,
            pages.router,
        ],
        state=state_of(config, database),
        lifespan=[background],
        exception_handlers={Exception: answer_error},
        request_max_body_size=config.body_bytes,
        openapi_config=None,
        logging_config=None,
    )


def state_of(config: Config, database: Database) -> State:
    """The state that routes and pages read from their app."""
    database.secret = config.secret
    limits = rate_limits(config.rate_limit) if config.rate_limit else None
    hub = HubContext(
        config.secret,
        config.base_url,
        config.proof_hosts,
        limits is not None,
        config.proctors,
        database=database,
        message_bytes=config.message_bytes,
        body_bytes=config.body_bytes,
        rate_limits=limits,
        transcripts=LruCache(TRANSCRIPT_CACHE_BYTES),
        feed=Feed(database),
        exports=Exports(),
        openapi=openapi.document,
        registration=config.registration,
        folders=config.folders,
        destination=config.destination,
        webhook_hosts=config.webhook_hosts,
        sends_email=bool(config.smtp_url),
        trace_quota=TraceQuota(),
        masking_key=config.masking_key,
        engine=ProcessPool(SERVER_ENGINE_PROCESSES),
        judges=tuple(configured_judges(config.judge_settings)),
    )
    return State(
        {
            "hub": hub,
            "unavailable": UnavailableLog(),
            "readiness": health.ReadinessCheck(),
            "mcp": mcp_route.McpDesk(config.base_url, config.body_bytes),
            "background": Background(background_tasks(config, database)),
        }
    )


def rate_limits(per_minute: int) -> RateLimits:
    """Many agents may share an address. A write without a key registers an agent, which is rare."""
    return RateLimits(
        key=RateLimit("key", per_minute, MINUTE_SECONDS),
        address=RateLimit("address", 5 * per_minute, MINUTE_SECONDS),
        anonymous=RateLimit("nameless", max(1, per_minute // 6), HOUR_SECONDS),
    )


def background_tasks(config: Config, database: Database) -> dict[str, BackgroundTask]:
    """What a server process does besides answering requests."""
    tasks: dict[str, BackgroundTask] = {"listen": database.listen}
    if config.has_worker:
        pool = ProcessPool(SERVER_ENGINE_PROCESSES)
        tasks |= worker.background_tasks(config, database, SERVER_JOB_CONCURRENCY, pool)
    if config.is_demo:
        from viva.demo import living  # imported here because other hubs never need it

        tasks["demo"] = lambda: living.live_until_cancelled(database, config.proctors)
    return tasks


@contextlib.asynccontextmanager
async def background(app: Litestar) -> AsyncIterator[None]:
    """Run the background tasks while the app runs."""
    database = app.state.hub.database
    await open_reader(database)
    app.state.background.start()
    try:
        with call_on_stop_signal(app.state.hub.feed.close):
            yield
    finally:
        await app.state.mcp.close()
        await app.state.background.stop()
        await app.state.hub.engine.close()
        await database.settle()
        database.close()


@contextlib.contextmanager
def call_on_stop_signal(close_streams: Callable[[], None]) -> Iterator[None]:
    """Close streams before the server waits for open connections: by themselves they would stay open."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread gets signals; a test may run the app in another one
        return
    loop = asyncio.get_running_loop()
    previous = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(close_streams)
        if callable(earlier := previous[signal.Signals(number)]):
            earlier(number, frame)

    for kind in previous:
        signal.signal(kind, handle)
    try:
        yield
    finally:
        for kind, earlier in previous.items():
            signal.signal(kind, earlier)


def answer_error(request: Request, error: Exception) -> JsonResponse | Response[str]:
    viva_error = problems.as_viva_error(error)
    if isinstance(viva_error, Unavailable):
        request.app.state.unavailable.add(viva_error)
    elif viva_error.status == VivaError.status:
        log.error("%s failed", request.scope.get("request_id"), exc_info=error)
    if error_pages.is_page(request.scope["path"]):
        return error_pages.answer(request, viva_error)
    allowed = allowed_methods(request) if viva_error.status == 405 else ""
    return problems.answer(viva_error, str(request.scope.get("request_id")), allowed)


def allowed_methods(request: Request) -> str:
    """The value of the Allow header, which RFC 9110 requires with status 405."""
    methods = [method for method in METHODS if has_route(request, method)]
    return ", ".join([*methods, *(["HEAD"] if "GET" in methods else []), "OPTIONS"])


def has_route(request: Request, method: str) -> bool:
    try:
        request.app.asgi_router.handle_routing(request.scope["path"], method)
    except MethodNotAllowedException:
        return False
    return True
