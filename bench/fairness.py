"""One analysis of an account, uploaded while 10,000 of another wait: how many go before it, and what the fair order costs."""

import contextlib
import tempfile
from datetime import timedelta
from pathlib import Path
from time import perf_counter

from bench.jobs import new_database, postgres
from viva.jobs import queue
from viva.kit.db import Connection, Database
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

WAITING = 10_000
BATCHES_FIRST = 20  # the workers have begun with the large upload
LEASE_SECONDS = 600.0
GOAL_JOBS = queue.BATCH_JOBS


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
        measure("SQLite", f"sqlite:///{folder}/fairness.db")
        measure("PostgreSQL", new_database(address, "fairness"))


def measure(where: str, url: str) -> None:
    migrate(url)
    with contextlib.closing(open_database(url)) as database:
        started = perf_counter()
        database.write_now(put_many)
        put_ms = (perf_counter() - started) / WAITING * 1000
        for _ in range(BATCHES_FIRST):
            take(database)
        database.write_now(lambda db: put(db, "small"))
        before, taking_ms = count_before(database)
    print(
        f"  {where:<12}{before:>6} of {WAITING:,} go before it   goal {GOAL_JOBS}"
        f"{put_ms:>12.3f} ms to add one{taking_ms:>10.2f} ms to take {queue.BATCH_JOBS}",
        flush=True,
    )


def put(db: Connection, account_id: str) -> None:
    queue.put(db, "analyse", {"account": account_id}, timedelta(), "processes", account_id)


def put_many(db: Connection) -> None:
    for _ in range(WAITING):
        put(db, "large")


def take(database: Database) -> list[str]:
    jobs = database.write_now(lambda db: queue.take_batch(db, LEASE_SECONDS))
    return [str(job.data["account"]) for job in jobs]


def count_before(database: Database) -> tuple[int, float]:
    """How many jobs are taken before the small one's batch, and the milliseconds of one batch."""
    before, batches, started = 0, 1, perf_counter()
    while "small" not in (taken := take(database)):
        before += len(taken)
        batches += 1
    return before, (perf_counter() - started) / batches * 1000
