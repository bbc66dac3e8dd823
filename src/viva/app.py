"""The ASGI app: everything wired together, and the one place where errors become answers."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from litestar import Litestar, Request, Response, Router
from litestar.datastructures import State
from litestar.openapi import OpenAPIConfig
from litestar.types import ASGIApp

from viva import __version__, worker
from viva.api import agents, evaluations, exams, health, own, problems, proctor, results, sessions, streaming
from viva.api.hub import Hub, RateLimits
from viva.api.requests import Requests
from viva.config import Config
from viva.kit.db import Database, open_database
from viva.kit.errors import VivaError
from viva.kit.limits import RateLimit

MINUTE, HOUR = 60, 3600
API = Router(
    "/api/v1",
    route_handlers=[
        agents.router,
        own.router,
        evaluations.router,
        exams.router,
        proctor.router,
        sessions.router,
        streaming.router,
        results.router,
    ],
)

log = logging.getLogger("viva")


def create() -> ASGIApp:
    """The app as a server process of `viva serve` runs it."""
    config = Config.from_environment()
    return Requests(litestar_app(config, open_database(config.database_url)))


def litestar_app(config: Config, database: Database) -> Litestar:
    hub = hub_of(config, database)
    return Litestar(
        route_handlers=[API, health.router],
        state=State({"hub": hub, "feed": streaming.Feed(hub)}),
        lifespan=[background],
        exception_handlers={Exception: answer_error},
        request_max_body_size=config.body_bytes,
        openapi_config=OpenAPIConfig("Viva", __version__, path="/api", render_plugins=[]),
        logging_config=None,
    )


def hub_of(config: Config, database: Database) -> Hub:
    limits = RateLimits(
        key=RateLimit("key", 6_000, MINUTE),
        address=RateLimit("address", 30_000, MINUTE),
        registering=RateLimit("registering", 1_000, HOUR),
    )
    return Hub(database, config.secret, config.message_bytes, config.body_bytes, limits if config.rate_limit else None)


@contextlib.asynccontextmanager
async def background(app: Litestar) -> AsyncIterator[None]:
    """Listen for other processes and sweep, as long as the app runs."""
    database = app.state.hub.database
    tasks = [asyncio.create_task(database.listen()), asyncio.create_task(worker.sweep_until_cancelled(database))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        database.close()


def answer_error(request: Request, error: Exception) -> Response:  # type: ignore[type-arg]
    known = problems.as_viva_error(error)
    if known.status >= 500:
        log.error("%s failed", request.scope.get("request_id"), exc_info=error)
    return problems.answer(request, known)
