"""What kept sums cost when a result is added, and what leaderboard, findings and matrix cost with many results.

BENCH_RESULTS says how many are many, 100,000 where it is not given."""

import contextlib
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any
from unittest import mock

import msgspec

from bench.jobs import new_database, postgres
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.exams import store as exams
from viva.kit.db import Connection, Database
from viva.kit.ids import new_id
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.kit.paging import cursor_at
from viva.results import findings, kept, leaderboard, matrix, store, sums
from viva.results.best import ORDER
from viva.results.model import Result

FEW, MANY = 1_000, int(os.environ.get("BENCH_RESULTS", "100000"))
EACH = 4  # results of an agent
ADDED = 300  # each in a transaction of its own
ROUNDS = 3  # by turns, of which the best counts
TIMED = 60
AT_ONCE = 500  # rows of one statement
SIP = Path(sips.__file__).parent.parent / "sips" / "SIP-1.md"
BEGINNING = datetime(2025, 1, 1, tzinfo=UTC)
PROMPTS = 5


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
    for result in results:
        database.write_now(partial(store.add, result=result))
    return len(results) / (perf_counter() - began)


def prepared(db: Connection, evaluation_id: str) -> list[Result]:
    """Results that are not kept yet, of agents that have none."""
    chance, made = random.Random(7), []
    for number in range(ADDED):
        agent_id = new_id("agent")
        insert(db, "agents", AGENT, [agent(agent_id)])
        registration = exams.add_registration(db, agent_id, evaluation_id)
        assert registration is not None
        exams.start(db, registration.id, "1.0.0", "digest")
        row = result(number, chance, agent_id, registration.id, evaluation_id)
        made.append(Result(**row | {"result_data": msgspec.json.decode(row["result_data"])}))
    return made


def reading(where: str, url_of: Callable[[str], str]) -> None:
    """With few and with many results by turns, since the machine may have other work to do."""
    urls = {count: url_of(f"with_{count}") for count in (FEW, MANY)}
    with contextlib.ExitStack() as stack:
        databases = {count: stack.enter_context(opened(url)) for count, url in urls.items()}
        reads = {count: filled(where, databases[count], url, count) for count, url in urls.items()}
        for what in reads[FEW]:
            turns = [[timed(databases[count], reads[count][what]) for count in reads] for _ in range(TIMED)]
            few, many = (median(times) * 1000 for times in zip(*turns, strict=True))
            print(
                f"  {where:<11}{what:<28}{few:>7.2f} ms with {FEW:,} results{many:>9.2f} ms with {MANY:,}"
                f"{many / few:>7.2f} of it  goal 1.5",
                flush=True,
            )


def filled(where: str, database: Database, url: str, count: int) -> dict[str, Callable[[Connection], Any]]:
    """The reads of a database that has so many results."""
    evaluation_id = database.write_now(partial(fill, count=count))
    database.write_now(forget)
    began = perf_counter()
    migrate(url)
    print(f"  {where:<11}{count:,} results counted by the migration in {perf_counter() - began:.1f} s", flush=True)
    if where == "PostgreSQL":
        database.write_now(lambda db: db.execute("ANALYZE"))  # as it does itself after a while
    middle = database.read_now(partial(cursor_in_the_middle, evaluation_id=evaluation_id))
    return {
        "leaderboard": lambda db: leaderboard.top(db, evaluation_id, None, 50, None),
        "leaderboard from the middle": lambda db: leaderboard.top(db, evaluation_id, None, 50, middle),
        "leaderboard of a version": lambda db: leaderboard.top(db, evaluation_id, "1.0.0", 50, None),
        "findings": lambda db: findings.found_in(kept.read(db, evaluation_id, None)),
        "matrix": lambda db: matrix.matrix(db, evaluation_id, None),
    }


def timed(database: Database, read: Callable[[Connection], Any]) -> float:
    began = perf_counter()
    database.read_now(read)
    return perf_counter() - began


def forget(db: Connection) -> None:
    """As it was before sums were kept."""
    for table in sums.TABLES:
        db.execute(f"DROP TABLE evaluation_{table}")
    db.execute("UPDATE alembic_version SET version_num = '0005'")


def cursor_in_the_middle(db: Connection, evaluation_id: str) -> str:
    lines = db.execute(
        f"""
        SELECT {", ".join(ORDER)} FROM evaluation_standings WHERE evaluation_id = ? AND evaluation_version = ''
        ORDER BY {", ".join(f"{name} DESC" for name in ORDER)}
        """,
        [evaluation_id],
    ).fetchall()
    at = len(lines) // 2
    share, passed, *others = lines[at]
    return cursor_at((share, bool(passed), *others, at + 1, at + 1))


# Rows that the flows would take hours to make

AGENT = ("id", "name", "name_key", "description", "created_at")
REGISTRATION = (
    *("id", "agent_id", "evaluation_id", "status", "evaluation_version", "evaluation_digest"),
    *("registered_at", "started_at", "completed_at"),
)


def fill(db: Connection, count: int) -> str:
    chance = random.Random(5)
    evaluation_id = catalogue.put(db, sips.parse(SIP.read_text())).id
    agents = [new_id("agent") for _ in range(max(1, count // EACH))]
    insert(db, "agents", AGENT, [agent(agent_id) for agent_id in agents])
    for first in range(0, count, AT_ONCE * 20):
        rows = [
            result(number, chance, chance.choice(agents), new_id("eval_reg"), evaluation_id)
            for number in range(first, min(count, first + AT_ONCE * 20))
        ]
        insert(db, "evaluation_registrations", REGISTRATION, [registration_of(row) for row in rows])
        insert(db, "evaluation_results", Result.__struct_fields__, [tuple(row.values()) for row in rows])
    return evaluation_id


def agent(agent_id: str) -> tuple[Any, ...]:
    return agent_id, agent_id, agent_id, "", BEGINNING


def registration_of(row: dict[str, Any]) -> tuple[Any, ...]:
    status, at = "completed" if row["passed"] else "failed", row["completed_at"]
    pinned = (row["evaluation_version"], "digest")
    return row["registration_id"], row["agent_id"], row["evaluation_id"], status, *pinned, at, at, at


def result(
    number: int, chance: random.Random, agent_id: str, registration_id: str, evaluation_id: str
) -> dict[str, Any]:
    marks = [chance.randrange(11) for _ in range(PROMPTS)]
    criteria = [
        {
            "id": f"row-{at}",
            "text": f"Does what prompt {at} asks for",
            "met": mark > 6,
            "mark": mark,
            "max": 10,
            "prompt_id": f"p{at}",
        }
        for at, mark in enumerate(marks)
    ]
    passed = sum(marks) > 5 * PROMPTS
    return {
        "id": new_id("eval_res"),
        "registration_id": registration_id,
        "agent_id": agent_id,
        "evaluation_id": evaluation_id,
        "passed": passed,
        "score": float(sum(marks)),
        "max_score": 10.0 * PROMPTS,
        "points_earned": 10.0 if passed else 0.0,
        "result_data": msgspec.json.encode({"criteria": criteria}).decode(),
        "completed_at": BEGINNING + timedelta(minutes=number),
        "proctor_agent_id": None,
        "proctor_feedback": None,
        "session_id": None,
        "evaluation_version": chance.choice(["1.0.0", "1.1.0", "2.0.0"]),
        "evaluation_digest": "digest",
        "cohort_id": None,
    }


def insert(db: Connection, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    places = f"({', '.join('?' for _ in columns)})"
    for first in range(0, len(rows), AT_ONCE):
        some = rows[first : first + AT_ONCE]
        db.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([places] * len(some))}",
            [value for row in some for value in row],
        )
