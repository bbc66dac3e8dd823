"""What kept sums cost when a result is added, and what leaderboard, findings and matrix cost with many results.

BENCH_RESULTS says how many are many, 100,000 where it is not given."""

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

from bench.filling import AGENT, BEGINNING, SIP, filled, insert, result
from bench.jobs import new_database, postgres
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
EACH = 4  # results of an agent
ADDED = 300  # each in a transaction of its own
ROUNDS = 3  # by turns, of which the best counts
TIMED = 60


def run() -> None:
    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as address:
        places: dict[str, Callable[[str], str]] = {
            "SQLite": lambda name: f"sqlite:///{folder}/{name}.db",
            "PostgreSQL": partial(new_database, address),
        }
        for where, url_of in places.items():
            adding(where, url_of("adding"))
            reading(where, url_of)


@contextlib.contextmanager
def opened(url: str) -> Iterator[Database]:
    migrate(url)
    with contextlib.closing(open_database(url)) as database:
        yield database


def adding(where: str, url: str) -> None:
    rates: dict[bool, list[float]] = {True: [], False: []}
    with opened(url) as database:
        evaluation_id = database.write_now(lambda db: catalogue.put(db, sips.parse(SIP.read_text())).id)
        for _ in range(ROUNDS):
            for with_sums in rates:
                results = database.write_now(partial(prepared, evaluation_id=evaluation_id))
                with contextlib.nullcontext() if with_sums else mock.patch.object(sums, "add"):
                    rates[with_sums].append(added_a_second(database, results))
    kept_too, alone = max(rates[True]), max(rates[False])
    print(
        f"  {where:<11}results added{kept_too:>10,.0f}/s with sums{alone:>10,.0f}/s without{kept_too / alone:>7.2f} of it",
        flush=True,
    )


def added_a_second(database: Database, results: list[Result]) -> float:
    began = perf_counter()
    for each in results:
        database.write_now(partial(store.add, result=each))
    return len(results) / (perf_counter() - began)


def prepared(db: Connection, evaluation_id: str) -> list[Result]:
    """Results that are not kept yet, of agents that have none."""
    chance, made = random.Random(7), []
    for number in range(ADDED):
        agent_id = new_id("agent")
        insert(db, "agents", AGENT, [(agent_id, agent_id, agent_id, "", BEGINNING)])
        registration = exams.add_registration(db, agent_id, evaluation_id)
        assert registration is not None
        exams.start(db, registration.id, "1.0.0", "digest")
        row = result(number, chance, agent_id, registration.id, evaluation_id)
        made.append(Result(**row | {"result_data": msgspec.json.decode(row["result_data"])}))
    return made


def reading(where: str, url_of: Callable[[str], str]) -> None:
    """With few and with many results by turns, since the machine may have other work to do."""
    with contextlib.ExitStack() as stack:
        databases, reads = {}, {}
        for count in (FEW, MANY):
            hall = filled(url_of(f"with_{count}"), count, max(1, count // EACH))
            stack.callback(hall.database.close)
            databases[count], reads[count] = hall.database, reads_of(hall.database, hall.made.evaluation_id)
        for what in reads[FEW]:
            turns = [[timed(databases[count], reads[count][what]) for count in reads] for _ in range(TIMED)]
            few, many = (median(times) * 1000 for times in zip(*turns, strict=True))
            print(
                f"  {where:<11}{what:<28}{few:>7.2f} ms with {FEW:,} results{many:>9.2f} ms with {MANY:,}"
                f"{many / few:>7.2f} of it  goal 1.5",
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


def timed(database: Database, read: Callable[[Connection], Any]) -> float:
    began = perf_counter()
    database.read_now(read)
    return perf_counter() - began


def cursor_in_the_middle(db: Connection, evaluation_id: str) -> str:
    lines = db.execute(
        f"""
        SELECT {", ".join(STANDING_COLUMNS)} FROM evaluation_standings WHERE evaluation_id = ? AND evaluation_version = ''
        ORDER BY {", ".join(f"{name} DESC" for name in STANDING_COLUMNS)}
        """,
        [evaluation_id],
    ).fetchall()
    at = len(lines) // 2
    share, passed, *others = lines[at]
    return cursor_at((share, bool(passed), *others, at + 1, at + 1))
