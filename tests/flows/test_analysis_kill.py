"""Worker processes that are killed in the middle of a batch lose no analysis and do none twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests import make
from tests.conftest import DATABASES, fresh_url
from tests.hub import environment_without_settings, load
from tests.traces import runs
from viva.kit.db import Connection, Database
from viva.kit.opening import open_database

pytestmark = pytest.mark.soak
TRACES = load(60, in_soak=300)


@contextmanager
def worker(url: str, folder: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """`viva worker` as a process of its own, killed in the end."""
    settings = {"VIVA_DATABASE_URL": url, "VIVA_DATA_DIR": str(folder), "VIVA_LEASE_SECONDS": "2"}
    with (folder / "worker.log").open("a") as log:
        command = [sys.executable, "-m", "viva", "worker"]
        process = subprocess.Popen(command, stderr=log, env=environment_without_settings() | settings)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def count_done(db: Connection) -> int:
    return int(db.execute("SELECT count(*) FROM analyses WHERE status = 'done'").fetchone()[0])


def wait_for(database: Database, done: int) -> None:
    deadline = time.monotonic() + 120
    while database.read_now(count_done) < done:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("kind", DATABASES)
def test_what_killed_processes_had_begun_is_analysed_by_others(kind: str, request, tmp_path: Path):
    url = fresh_url(kind, request, tmp_path)
    database = open_database(url)
    database.write_now(lambda db: runs.upload(db, make.agent(db, "ada"), *map(str, range(TRACES))))

    with worker(url, tmp_path) as first:
        wait_for(database, 1)
        for process in psutil.Process(first.pid).children(recursive=True):
            os.kill(process.pid, signal.SIGKILL)
        wait_for(database, TRACES // 2)
        os.kill(first.pid, signal.SIGKILL)
    left = TRACES - database.read_now(count_done)
    with worker(url, tmp_path):
        wait_for(database, TRACES)

    assert left > 0
    rows = database.read_now(
        lambda db: db.execute(
            "SELECT count(*), count(DISTINCT subject_id), min(overall_score) FROM analyses"
        ).fetchone()
    )
    assert tuple(rows)[:2] == (TRACES, TRACES)
    assert rows[2] is not None
    agents = database.read_now(lambda db: db.execute("SELECT count(*) FROM analysis_agents").fetchone()[0])
    assert agents == 2 * TRACES
    database.close()
