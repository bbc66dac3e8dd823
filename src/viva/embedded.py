"""A whole hub in a folder and in one process: API, pages, background work and a SQLite file, without a port."""

import asyncio
import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import httpx
from litestar import Litestar

from viva.api.requests import Requests
from viva.app import litestar_app
from viva.client.client import AsyncClient, Client
from viva.client.loop_transport import AsyncLoopTransport, LoopTransport
from viva.config import Config
from viva.evaluations import catalogue
from viva.evaluations.sync_report import RefusedSip
from viva.kit import signing_keys
from viva.kit.actors import COMMAND
from viva.kit.db import Database
from viva.kit.events import act_as
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

EMBEDDED_URL = "http://hub.embedded"  # nothing listens there; clients pass their requests on in memory
REQUEST_TIMEOUT_SECONDS = 60.0


class EmbeddedHub(NamedTuple):
    """A running hub. `refused` lists the SIP files that its opening has left out of the catalogue."""

    config: Config
    database: Database
    refused: list[RefusedSip]
    transport: LoopTransport

    @property
    def url(self) -> str:
        """The address that its links have. Clients reach it in memory all the same."""
        return self.config.base_url

    def client(self, key: str | None = None) -> Client:
        """A client with every operation of the API. Close it after use."""
        return Client(self.url, key or "", transport=self.transport)

    def async_client(self, key: str | None = None) -> AsyncClient:
        """The same for a program with an event loop of its own."""
        return AsyncClient(self.url, key or "", transport=AsyncLoopTransport(self.transport))

    def connect(self, key: str | None = None) -> httpx.Client:
        """A plain HTTP client of the hub's API and pages. Close it after use."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(
            transport=self.transport, base_url=self.url, headers=headers, timeout=REQUEST_TIMEOUT_SECONDS
        )


@contextlib.contextmanager
def open_hub(
    folder: Path | None = None, sips: Path | None = None, judge: Mapping[str, str] | None = None
) -> Iterator[EmbeddedHub]:
    """Run a hub in the folder, or in a temporary one that is deleted at the end.

    `sips` is the folder of its SIPs, or None for the shipped ones. `judge` holds VIVA_JUDGE_… settings."""
    with contextlib.ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="viva-")))
        config = Config.from_environment(settings_of(place, sips, judge or {}))
        migrate(config.database_url)
        database = stack.enter_context(open_with_secret(config))
        database.write_now(act_as(COMMAND, signing_keys.ensure_current))
        refused = database.write_now(
            act_as(COMMAND, lambda db: catalogue.sync(db, config.sip_folders, config.keys_folders))
        )
        yield stack.enter_context(run_hub(config, database))._replace(refused=refused)


@contextlib.contextmanager
def open_with_secret(config: Config) -> Iterator[Database]:
    with contextlib.closing(open_database(config.database_url)) as database:
        database.secret = config.secret
        yield database


@contextlib.contextmanager
def run_hub(config: Config, database: Database) -> Iterator[EmbeddedHub]:
    """Run the hub of these settings. Its schema, signing key and catalogue are there."""
    app = litestar_app(config, database)
    with run_app(app) as loop:
        yield EmbeddedHub(config, database, [], LoopTransport(loop, Requests(app, config.log)))


def settings_of(folder: Path, sips: Path | None, judge: Mapping[str, str]) -> dict[str, str]:
    settings = {
        "VIVA_BASE_URL": EMBEDDED_URL,
        "VIVA_DATA_DIR": str(folder),
        "VIVA_DATABASE_URL": f"sqlite:///{folder / 'viva.db'}",
        "VIVA_LOG_LEVEL": "warning",
        "VIVA_PROCTORS": "anyone",  # nobody else can reach it
        "VIVA_RATE_LIMIT": "off",
    }
    return {**judge, **settings, **({"VIVA_SIPS_DIR": str(sips)} if sips else {})}


@contextlib.contextmanager
def run_app(app: Litestar) -> Iterator[asyncio.AbstractEventLoop]:
    """Run the app's background tasks in the event loop of a thread, which also answers requests."""
    started: Future[asyncio.AbstractEventLoop] = Future()
    stop = asyncio.Event()
    thread = Thread(target=lambda: asyncio.run(run_until(app, started, stop)), name="viva-embedded", daemon=True)
    thread.start()
    loop = started.result()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


async def run_until(app: Litestar, started: "Future[asyncio.AbstractEventLoop]", stop: asyncio.Event) -> None:
    try:
        async with app.lifespan():
            started.set_result(asyncio.get_running_loop())
            await stop.wait()
    except BaseException as error:
        if not started.done():  # the caller waits for it
            started.set_exception(error)
        raise
