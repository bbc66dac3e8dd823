"""Starting a hub: the schema, the catalogue, and the processes of servers and workers."""

import asyncio
import contextlib
import fcntl
import logging
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Iterator
from functools import partial
from logging.config import dictConfig
from pathlib import Path
from typing import IO, Any, NamedTuple

from viva import __version__, worker
from viva.config import (
    SHIPPED_SIPS,
    BadSetting,
    Config,
    check_network_secret,
    configured_judges,
    find_database_url,
    find_secret,
)
from viva.contributions import publishing
from viva.contributions.destination import Destination
from viva.evaluations import catalogue
from viva.evaluations.known_catalogue import KnownCatalogue, read_catalogue, read_folder
from viva.evaluations.sip_folders import read_folders
from viva.evaluations.sync_report import SyncReport
from viva.exams import concluding, registering
from viva.jobs.processes import ProcessPool
from viva.kit import signing_keys
from viva.kit.actors import COMMAND
from viva.kit.background import Background
from viva.kit.clock import now
from viva.kit.db import Database, DatabaseDown, UnitOfWork, Write
from viva.kit.events import act_as
from viva.kit.logs import logging_config
from viva.kit.migrating import NewerSchema, has_schema, migrate
from viva.kit.opening import open_database, sqlite_path
from viva.kit.sqlite_check import find_damage
from viva.kit.sqlite_schema import UnusableDatabase
from viva.results import statements
from viva.served_hubs import ServedHub, leave_record

MAX_CHECKED_BYTES = 1 << 30  # checking a larger file would make a start take seconds
UNIT_GAP_SECONDS = 0.05  # the hub waits for SQLite's lock by looking again, so a command that writes much leaves gaps
HSTS_SECONDS = 365 * 24 * 3600  # one year, as browser makers recommend

log = logging.getLogger("viva")


class OpenHub(NamedTuple):
    config: Config
    database: Database


@contextlib.contextmanager
def open_configured() -> Iterator[OpenHub]:
    """The configured hub, with its schema up to date, for commands that set one up. It is created if need be."""
    config = Config.from_environment()
    migrate_schema(config.database_url)
    database = open_database(config.database_url)
    database.secret = config.secret
    try:
        yield OpenHub(config, database)
    finally:
        database.close()


@contextlib.contextmanager
def open_hub() -> Iterator[OpenHub]:
    """The configured hub, for commands that change one. A hub that does not exist is not created."""
    check_exists(find_database_url(os.environ))  # before the settings, which create the data folder
    with open_configured() as hub:
        yield hub


@contextlib.contextmanager
def open_existing() -> Iterator[Database]:
    """The configured database, for commands that only read. It is not created either."""
    url = find_database_url(os.environ)
    check_exists(url)
    migrate_schema(url)
    with contextlib.closing(open_database(url)) as database:
        database.secret = find_secret(os.environ)
        yield database


def read_known_catalogue() -> KnownCatalogue:
    """What the configured hub knows, or the SIPs that Viva ships if there is no hub. Nothing is created or migrated."""
    url = find_database_url(os.environ)
    with explain_database_errors(url):
        if not has_schema(url):
            return read_folder(SHIPPED_SIPS)
        with contextlib.closing(open_database(url)) as database:
            return database.read_now(read_catalogue)


def check_exists(url: str) -> None:
    with explain_database_errors(url):
        if not has_schema(url):
            raise BadSetting(
                f"The database {hide_password(url)} has no hub. Check the address, or create a hub with `viva migrate`."
            )


def migrate_schema(url: str) -> list[str]:
    """Update the schema and return the applied steps."""
    with explain_database_errors(url):
        return migrate(url)


@contextlib.contextmanager
def explain_database_errors(url: str) -> Iterator[None]:
    """Turn the driver's error about a database into a sentence."""
    try:
        yield
    except NewerSchema as error:
        raise BadSetting(f"A newer Viva has written the database {hide_password(url)}. Update this program.") from error
    except (UnusableDatabase, OSError) as error:
        raise DatabaseDown(f"The database {hide_password(url)} cannot be used: {error}.") from error


def serve(processes: int, demo: bool) -> None:
    config = Config.from_environment()
    dictConfig(logging_config(config.log))
    allow_many_connections()
    configured_judges()  # a wrong setting is reported here once, not by each server process
    check_network_secret(config, is_secret_set=bool(os.environ.get("VIVA_SECRET")))
    check_file(config.database_url)
    lock = lock_sqlite_file(config, processes)
    check_port_is_free(config)
    prepare(demo)
    exit_on_sigterm()
    details = (config.base_url, config.host, config.port, hide_password(config.database_url), processes)
    log.info("Viva %s serves %s on %s port %d, from %s, processes: %d", __version__, *details)
    try:
        with leave_record(
            config.data_dir, ServedHub(name_database(config.database_url), config.base_url, config.proctors)
        ):
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
        http=partial(LimitedProtocol, limits=config.http),  # type: ignore[arg-type]  # Uvicorn calls any factory
        ws="none",
        proxy_headers=False,  # LimitedProtocol reads them
        headers=response_headers(config),
        access_log=False,
        log_config=logging_config(config.log),
        server_header=False,
        timeout_graceful_shutdown=3,
    )


def work(concurrency: int) -> None:
    """Run sweeps and jobs until SIGTERM or SIGINT."""
    url = find_database_url(os.environ)
    check_exists(url)  # before the settings, which create the data folder
    dictConfig(logging_config(Config.from_environment().log))
    check_file(url)
    with open_configured() as (config, database):
        log.info("Viva %s works on %s, %d jobs at once", __version__, hide_password(config.database_url), concurrency)
        pool = ProcessPool(min(concurrency, os.cpu_count() or 1))
        tasks = worker.background_tasks(config, database, concurrency, pool)
        asyncio.run(run_until_stop_signal(database, Background({"listen": database.listen, **tasks})))
    log.info("Viva has stopped")


async def run_until_stop_signal(database: Database, background: Background) -> None:
    background.start()
    stop = asyncio.Event()
    for kind in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(kind, stop.set)
    await stop.wait()
    await background.stop()
    await database.settle()


def prepare(demo: bool) -> None:
    with open_configured() as (config, database):
        sync_catalogue(database, config)
        repair_publications(database, config.destination)
        database.write_now(act_as(COMMAND, signing_keys.ensure_current))
        sign_results(database)
        stored = database.write_now(concluding.store_missing_rows)
        if stored:
            log.info("Stored the rows of %d sheets that an earlier release opened.", stored)
        for evaluation, reason in database.read_now(registering.list_broken):
            log.warning("SIP-%d, %s, cannot be taken: %s", evaluation.sip, evaluation.id, reason)
        if demo:
            from viva.demo import fill

            log.info(fill(lambda work: database.write_now(act_as(COMMAND, work))))


def sync_catalogue(database: Database, config: Config) -> SyncReport:
    """Read the SIP files first, so that the transactions only write."""
    read = read_folders(config.sip_folders, config.keys_folders)
    report = catalogue.sync_in_units(lambda unit: database.write_now(act_as(COMMAND, unit)), read)
    for path, error in report.refused:
        log.warning("%s is not in the catalogue: %s", path, error)
    return report


def sign_results(database: Database) -> None:
    """Sign the results that an earlier release has kept without a signature."""
    signed, last = 0, ""  # a search from the start would pass by all that are signed, each time
    while ids := database.write_now(act_as(COMMAND, partial(statements.sign_missing, after=last))):
        signed, last = signed + len(ids), ids[-1]
    if signed:
        log.info("Signed %d results that an earlier release had kept.", signed)


def repair_publications(database: Database, destination: Destination) -> None:
    """Publish what a stop has left approved, and write the files that another machine has and this one does not."""
    started_at = now()
    publish_next = act_as(COMMAND, lambda db: publishing.publish_next(db, destination, started_at))
    while database.write_now(publish_next):
        log.info("Tried an approved contribution that was not live yet.")
    try:
        written = database.read_now(lambda db: publishing.write_missing_files(db, destination))
    except OSError as error:
        log.warning("The files of contributions cannot be written to %s: %s", destination.folder, error.strerror)
    else:
        if written:
            log.info("Wrote the files of %d contributions to %s.", written, destination.folder)


def lock_sqlite_file(config: Config, processes: int) -> IO[str] | None:
    """Allow one server process on SQLite. Two would wait for each other's locks for seconds."""
    if not config.database_url.startswith("sqlite:"):
        return None
    if processes > 1:
        raise BadSetting(
            f"SQLite allows one server process, not {processes}. Use --database postgresql://… to run more of them."
        )
    path = lock_path(config.database_url)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadSetting(
            f"Another server process uses {hide_password(config.database_url)}. SQLite allows only one."
        ) from None
    except OSError as error:
        raise BadSetting(f"The file {path} cannot be created: {error.strerror}.") from error
    return lock


def lock_path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///") + ".lock")


def is_served_from_sqlite(url: str) -> bool:
    """Whether a server process holds the lock of this SQLite file."""
    if not url.startswith("sqlite:") or not lock_path(url).exists():
        return False
    with lock_path(url).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def write_beside(hub: OpenHub) -> Write:
    """Runs the units of a command that writes much, with a gap before each if a hub is served from the same file."""
    gap_seconds = UNIT_GAP_SECONDS if is_served_from_sqlite(hub.config.database_url) else 0

    def write(unit: UnitOfWork[Any]) -> Any:
        time.sleep(gap_seconds)
        return hub.database.write_now(act_as(COMMAND, unit))

    return write


def check_file(url: str) -> None:
    """Refuse to serve or work on a damaged file. A hub would answer until it meets the damage, and write beside it."""
    path = sqlite_path(url)
    if path is None or not path.is_file():
        return
    if path.stat().st_size > MAX_CHECKED_BYTES:
        log.info("The database is too large to be checked at every start. Check it with `viva doctor`.")
        return
    damage = find_damage(path)
    if damage:
        raise DatabaseDown(f"The file {path} is damaged: {damage}. Restore a backup with `viva restore FILE`.")


def allow_many_connections() -> None:
    """Raise the limit of open files as far as the system allows: each open stream needs one."""
    _, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))


def check_port_is_free(config: Config) -> None:
    """Check the port first: the server itself would notice only at the end of its start."""
    try:
        family = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((config.host, config.port))
    except OSError as error:
        raise BadSetting(f"Cannot listen on {config.host}, port {config.port}: {error.strerror}.") from error


def hide_password(url: str) -> str:
    """The address without its password, which may be before the @ or in the options."""
    if url.startswith("sqlite:"):
        return url
    scheme, _, rest = url.partition("?")[0].partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def name_database(url: str) -> str:
    """The address without its password, and the same from every folder."""
    file = sqlite_path(url)
    return f"sqlite:///{file.absolute()}" if file else hide_password(url)


def response_headers(config: Config) -> list[tuple[str, str]]:
    """Headers of every answer: browsers may not guess the content type, and must stay on TLS."""
    nosniff = ("x-content-type-options", "nosniff")
    hsts = ("strict-transport-security", f"max-age={HSTS_SECONDS}")
    return [nosniff, hsts] if config.base_url.startswith("https:") else [nosniff]


def exit_on_sigterm() -> None:
    """End by SystemExit, so that the last log line is written. Uvicorn raises the signal again after it has stopped."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
