"""Starting a hub: schema, catalogue, and the server processes."""

import contextlib
import fcntl
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from viva.config import BadSetting, Config, check_reachable_safely
from viva.evaluations import catalogue
from viva.kit.db import Database, open_database
from viva.kit.migrating import migrate

log = logging.getLogger("viva")


class Opened(NamedTuple):
    config: Config
    database: Database


@contextlib.contextmanager
def opened() -> Iterator[Opened]:
    """The configured database, with its schema up to date."""
    config = Config.from_environment()
    migrate(config.database_url)
    database = open_database(config.database_url)
    try:
        yield Opened(config, database)
    finally:
        database.close()


def serve(processes: int, demo: bool) -> None:
    import uvicorn

    set_up_logging()
    config = Config.from_environment()
    check_reachable_safely(config, secret_given="VIVA_SECRET" in os.environ)
    lock = lock_for(config, processes)
    prepare(demo)
    log.info("Viva serves %s from %s", config.base_url, shown(config.database_url))
    uvicorn.run(
        "viva.app:create",
        factory=True,
        host=config.host,
        port=config.port,
        workers=processes,
        loop="uvloop",
        http="httptools",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    del lock


def prepare(demo: bool) -> None:
    with opened() as (config, database):
        for path, error in database.write_now(lambda db: catalogue.sync(db, config.sip_folders)):
            log.warning("%s is not in the catalogue: %s", path, error)
        if demo:
            from viva.demo import fill

            log.info(database.write_now(fill))


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
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BadSetting(f"Another server process has {shown(config.database_url)} open; SQLite takes one.") from None
    return lock


def shown(url: str) -> str:
    """The address without its password."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def set_up_logging() -> None:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
