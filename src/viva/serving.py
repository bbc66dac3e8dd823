"""Starting a hub: schema, catalogue, and the processes that serve or work."""

import asyncio
import contextlib
import fcntl
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from functools import partial
from logging.config import dictConfig
from pathlib import Path
from typing import IO, NamedTuple

from viva import __version__, worker
from viva.config import BadSetting, Config, check_reachable_safely, configured_judges, find_database_url
from viva.evaluations import catalogue
from viva.exams import concluding, registering
from viva.judging.panel import Panel
from viva.kit.actors import COMMAND
from viva.kit.background import Background, BackgroundTask
from viva.kit.db import Database, DatabaseDown
from viva.kit.events import act_as
from viva.kit.fetching import Fetcher
from viva.kit.logs import logging_config
from viva.kit.migrating import has_schema, migrate
from viva.kit.opening import open_database

HSTS_SECONDS = 365 * 24 * 3600  # what browsers advise; the hub itself answers no plain HTTP then

log = logging.getLogger("viva")


class OpenHub(NamedTuple):
    config: Config
    database: Database


@contextlib.contextmanager
def open_configured() -> Iterator[OpenHub]:
    """The configured database, with its schema up to date."""
    config = Config.from_environment()
    migrate_schema(config.database_url)
    database = open_database(config.database_url)
    try:
        yield OpenHub(config, database)
    finally:
        database.close()


@contextlib.contextmanager
def open_existing() -> Iterator[Database]:
    """The configured database, for commands that only read: where there is none, none is made."""
    url = find_database_url(os.environ)
    check_exists(url)
    migrate_schema(url)
    with contextlib.closing(open_database(url)) as database:
        yield database


def check_exists(url: str) -> None:
    with sentences_for(url):
        if not has_schema(url):
            raise BadSetting(
                f"There is no hub in the database {hide_password(url)}. Check the address, or make a hub with `viva migrate`."
            )


def migrate_schema(url: str) -> list[str]:
    """The steps that brought the schema up to date."""
    with sentences_for(url):
        return migrate(url)


@contextlib.contextmanager
def sentences_for(url: str) -> Iterator[None]:
    """What the driver says of a database that it cannot use becomes a sentence."""
    from alembic.util import CommandError
    from sqlalchemy.exc import DatabaseError

    try:
        yield
    except CommandError as error:
        raise BadSetting(f"The database {hide_password(url)} was made by a newer Viva; update this program.") from error
    except (DatabaseError, OSError) as error:
        told = getattr(error, "orig", None) or error
        raise DatabaseDown(f"The database {hide_password(url)} cannot be used: {str(told).splitlines()[0]}.") from error


def serve(processes: int, demo: bool) -> None:
    config = Config.from_environment()
    dictConfig(logging_config(config.log))
    allow_many_connections()
    configured_judges()  # so that a setting that is wrong is told here, and not by each server process
    check_reachable_safely(config, secret_given=bool(os.environ.get("VIVA_SECRET")))
    lock = lock_for(config, processes)
    check_port_is_free(config)
    prepare(demo)
    exit_on_sigterm()
    served = (config.base_url, config.host, config.port, hide_password(config.database_url), processes)
    log.info("Viva %s serves %s on %s port %d, from %s, processes: %d", __version__, *served)
    try:
        run_server(config, processes)
    finally:
        log.info("Viva has stopped")
    del lock


def run_server(config: Config, processes: int) -> None:
    import uvicorn

    from viva.kit.http_protocol import LimitedProtocol

    uvicorn.run(
        "viva.app:create",
        factory=True,
        host=config.host,
        port=config.port,
        workers=processes,
        loop="uvloop",
        http=partial(LimitedProtocol, limits=config.http),  # type: ignore[arg-type]  # anything that makes one
        ws="none",
        proxy_headers=False,  # the protocol reads them
        headers=response_headers(config),
        access_log=False,
        log_config=logging_config(config.log),
        server_header=False,
        timeout_graceful_shutdown=3,
    )


def work(concurrency: int) -> None:
    """Sweep and do jobs until SIGTERM or SIGINT."""
    dictConfig(logging_config(Config.from_environment().log))
    check_exists(find_database_url(os.environ))
    with open_configured() as (config, database):
        log.info("Viva %s works on %s, %d jobs at once", __version__, hide_password(config.database_url), concurrency)
        table = worker.work_table(Panel(configured_judges()), Fetcher(config.proof_hosts))
        tasks: dict[str, BackgroundTask] = {
            "listen": database.listen,
            "sweep": lambda: worker.sweep_until_cancelled(database),
            "work": lambda: worker.work_until_cancelled(database, table, concurrency, config.lease_seconds),
        }
        asyncio.run(until_asked_to_end(database, Background(tasks)))
    log.info("Viva has stopped")


async def until_asked_to_end(database: Database, background: Background) -> None:
    background.start()
    asked = asyncio.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(kind, asked.set)
    await asked.wait()
    await background.stop()
    await database.settle()


def prepare(demo: bool) -> None:
    with open_configured() as (config, database):
        for path, error in database.write_now(act_as(COMMAND, lambda db: catalogue.sync(db, config.sip_folders))):
            log.warning("%s is not in the catalogue: %s", path, error)
        stored = database.write_now(concluding.store_missing_rows)
        if stored:
            log.info("Stored the rows of %d sheets that an earlier release opened.", stored)
        for evaluation, reason in database.read_now(registering.list_broken):
            log.warning("SIP-%d, %s, cannot be taken: %s", evaluation.sip, evaluation.id, reason)
        if demo:
            from viva.demo import fill

            log.info(database.write_now(act_as(COMMAND, fill)))


def lock_for(config: Config, processes: int) -> IO[str] | None:
    """On SQLite one server process writes; a second one would make both wait for each other for seconds."""
    if not config.database_url.startswith("sqlite:"):
        return None
    if processes > 1:
        raise BadSetting(
            f"SQLite takes one server process, not {processes}: several would wait for each other at every message. "
            "Use --database postgresql://… to serve with more."
        )
    path = Path(config.database_url.removeprefix("sqlite:///") + ".lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadSetting(
            f"Another server process has {hide_password(config.database_url)} open; SQLite takes one."
        ) from None
    except OSError as error:
        raise BadSetting(f"The file {path} cannot be made: {error.strerror}.") from error
    return lock


def allow_many_connections() -> None:
    """Take all the open files that the system grants: each stream that is followed is one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def check_port_is_free(config: Config) -> None:
    """The server itself would find out only after all its work to start."""
    try:
        family = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((config.host, config.port))
    except OSError as error:
        raise BadSetting(f"Cannot listen on {config.host}, port {config.port}: {error.strerror}.") from error


def hide_password(url: str) -> str:
    """The address without its password, which stands before the @ or among the options."""
    if url.startswith("sqlite:"):
        return url
    scheme, _, rest = url.partition("?")[0].partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def response_headers(config: Config) -> list[tuple[str, str]]:
    """What every answer carries: no browser may guess its type, nor come back without TLS."""
    always = [("x-content-type-options", "nosniff")]
    hsts = ("strict-transport-security", f"max-age={HSTS_SECONDS}")
    return [*always, hsts] if config.base_url.startswith("https:") else always


def exit_on_sigterm() -> None:
    """End by SystemExit, so that the last line is logged. The server passes the signal on after it has stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
