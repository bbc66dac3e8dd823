"""The cost of stored sums when a result is added, and the time of leaderboard, findings and matrix with many results.

BENCH_RESULTS is the large number of results, 100,000 by default."""

import contextlib
import os
import random
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any
from unittest import mock

import msgspec

from bench.filling import AGENT, BEGINNING, SIP, fill_database, insert, result_row
from bench.jobs import new_database, postgres
from tests.make import OFFICIAL
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.exams import store as exams
from viva.kit.db import Connection, Database
from viva.kit.ids import new_id
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.kit.paging import cursor_at
from viva.results import findings, leaderboard, matrix, store, stored_sums, sums
from viva.results.model import Result
from viva.results.standing_order import STANDING_COLUMNS

FEW, MANY = 1_000, int(os.environ.get("BENCH_RESULTS", "100000"))
RESULTS_PER_AGENT = 4
ADDED_RESULTS = 300  # each in its own transaction
ROUNDS = 3  # the variants alternate, and the best round counts
TIMED_READS = 60


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
        places: dict[str, Callable[[str], str]] = {
            "SQLite": lambda name: f"sqlite:///{folder}/{name}.db",
            "PostgreSQL": partial(new_database, address),
        }
        for where, url_of in places.items():
            measure_adding(where, url_of("adding"))
            measure_reading(where, url_of)


@contextlib.contextmanager
def open_migrated(url: str) -> Iterator[Database]:
    migrate(url)
    with contextlib.closing(open_database(url)) as database:
        database.secret = b"the secret of a hub in benchmarks"
        yield database


def measure_adding(where: str, url: str) -> None:
    rates: dict[bool, list[float]] = {True: [], False: []}
    with open_migrated(url) as database:
        evaluation_id = database.write_now(lambda db: catalogue.put(db, sips.parse(SIP.read_text())).id)
        for _ in range(ROUNDS):
            for with_sums in rates:
                results = database.write_now(partial(prepare_results, evaluation_id=evaluation_id))
                with contextlib.nullcontext() if with_sums else mock.patch.object(sums, "add"):
                    rates[with_sums].append(add_rate(database, results))
    with_rate, without_rate = max(rates[True]), max(rates[False])
    print(
        f"  {where:<11}results added{with_rate:>10,.0f}/s with sums{without_rate:>10,.0f}/s without"
        f"  ratio{with_rate / without_rate:>6.2f}",
        flush=True,
    )


def add_rate(database: Database, results: list[Result]) -> float:
    started = perf_counter()
    for result in results:
        database.write_now(partial(store.add, result=result))
    return len(results) / (perf_counter() - started)


def prepare_results(db: Connection, evaluation_id: str) -> list[Result]:
    """Results that are not stored yet, of agents without results."""
    chance, results = random.Random(7), []
    for number in range(ADDED_RESULTS):
        agent_id = new_id("agent")
        insert(db, "agents", AGENT, [(agent_id, agent_id, agent_id, "", BEGINNING)])
        registration = exams.add_registration(db, agent_id, evaluation_id)
        assert registration is not None
        exams.start(db, registration.id, "1.0.0", "digest")
        row = result_row(number, chance, agent_id, registration.id, evaluation_id)
        results.append(
            Result(**OFFICIAL | row | {"second_reading": None, "result_data": msgspec.json.decode(row["result_data"])})
        )
    return results


def measure_reading(where: str, url_of: Callable[[str], str]) -> None:
    """Measure few and many results in alternation, because other load may come and go."""
    with contextlib.ExitStack() as stack:
        databases, reads = {}, {}
        for count in (FEW, MANY):
            database, ids = fill_database(url_of(f"with_{count}"), count, max(1, count // RESULTS_PER_AGENT))
            stack.callback(database.close)
            databases[count], reads[count] = database, reads_of(database, ids.evaluation_id)
        for what in reads[FEW]:
            rounds = [
                [read_seconds(databases[count], reads[count][what]) for count in reads] for _ in range(TIMED_READS)
            ]
            few, many = (median(times) * 1000 for times in zip(*rounds, strict=True))
            print(
                f"  {where:<11}{what:<28}{few:>7.2f} ms with {FEW:,} results{many:>9.2f} ms with {MANY:,}"
                f"  ratio{many / few:>6.2f}  goal 1.5",
                flush=True,
            )


def reads_of(database: Database, evaluation_id: str) -> dict[str, Callable[[Connection], Any]]:
    middle = database.read_now(partial(cursor_in_the_middle, evaluation_id=evaluation_id))
    return {
        "leaderboard": lambda db: leaderboard.top(db, evaluation_id, None, 50, None),
        "leaderboard from the middle": lambda db: leaderboard.top(db, evaluation_id, None, 50, middle),
        "leaderboard of a version": lambda db: leaderboard.top(db, evaluation_id, "1.0.0", 50, None),
        "findings": lambda db: findings.compute_findings(stored_sums.read(db, evaluation_id, None)),
        "matrix": lambda db: matrix.read_matrix(db, evaluation_id, None),
    }


def read_seconds(database: Database, read: Callable[[Connection], Any]) -> float:
    started = perf_counter()
    database.read_now(read)
    return perf_counter() - started


def cursor_in_the_middle(db: Connection, evaluation_id: str) -> str:
    lines = db.execute(
        f"""
        SELECT {", ".join(STANDING_COLUMNS)} FROM evaluation_standings
        WHERE evaluation_id = ? AND evaluation_version = '' AND scope = 'official'
        ORDER BY {", ".join(f"{name} DESC" for name in STANDING_COLUMNS)}
        """,
        [evaluation_id],
    ).fetchall()
    middle = len(lines) // 2
    share, passed, *others = lines[middle]
    return cursor_at((share, bool(passed), *others, middle + 1, middle + 1))
