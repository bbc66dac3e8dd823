"""Recounts every sum: results are copied to an empty database, counted there by the hub's own code, and compared."""

import math
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from viva.checking.model import HubCheck
from viva.kit.clock import format_time
from viva.kit.db import Connection
from viva.kit.migrating import migrate
from viva.kit.sqlite_connection import SqliteConnection, connect
from viva.results.discrepancy import Discrepancy
from viva.results.sums import COUNTED_RESULTS, SUM_TABLES, UPDATE_POINTS, recount

BATCH_RESULTS = 500
BATCH_AGENTS = 500
UNCOUNTED_COLUMNS = {"text"}  # as last seen; two results that end together may be counted in either order
TOLERANCE = 1e-6  # of sums of fractions, which depend on the order of adding

Rows = dict[tuple[Any, ...], dict[str, Any]]


class Table(NamedTuple):
    """A table of sums: the columns that name a row, and those that count."""

    name: str
    key: list[str]
    counted: list[str]


def check_sums(check: HubCheck) -> Iterator[Discrepancy]:
    with open_scratch() as scratch:
        tables = [describe(scratch, name) for name in SUM_TABLES]
        for evaluation_id in check.database.read_now(list_evaluations):
            scratch.driver.execute("BEGIN")
            stored, results = check.database.read_now(partial(copy, scratch=scratch, id_=evaluation_id, tables=tables))
            recount(scratch, evaluation_id)
            for table in tables:
                yield from compare(evaluation_id, table, read_table(scratch, table, evaluation_id), stored[table.name])
            scratch.driver.execute("ROLLBACK")
            check.count("recounted results", results)
            check.counts["sums"] += sum(map(len, stored.values()))
    yield from check_agents(check)


@contextmanager
def open_scratch() -> Iterator[SqliteConnection]:
    """An empty database with the whole schema. Nothing of it reaches the disk for good."""
    with tempfile.TemporaryDirectory(prefix="viva-check-") as folder:
        path = Path(folder) / "viva.db"
        migrate(f"sqlite:///{path}")
        with closing(connect(path, "PRAGMA foreign_keys = OFF", "PRAGMA synchronous = OFF")) as driver:
            yield SqliteConnection(driver)


def describe(scratch: SqliteConnection, name: str) -> Table:
    columns = scratch.execute(f"PRAGMA table_info({name})").fetchall()
    key = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
    return Table(name, key, [column[1] for column in columns if not column[5] and column[1] not in UNCOUNTED_COLUMNS])


def list_evaluations(db: Connection) -> list[str]:
    """Every evaluation, also one that has sums and no results."""
    return [id_ for (id_,) in db.execute("SELECT id FROM evaluation_definitions ORDER BY id").fetchall()]


def copy(db: Connection, scratch: SqliteConnection, id_: str, tables: list[Table]) -> tuple[dict[str, Rows], int]:
    """Copy the results and the lengths of their sessions, and read the stored sums, all at one moment."""
    names = [column[1] for column in scratch.execute("PRAGMA table_info(evaluation_results)").fetchall()]
    columns, places, copied = ", ".join(names), ", ".join("?" for _ in names), 0
    after: tuple[Any, ...] = ("",)
    while rows := db.execute(
        f"SELECT {columns} FROM evaluation_results WHERE evaluation_id = ? AND id > ? ORDER BY id LIMIT ?",
        [id_, *after, BATCH_RESULTS],
    ).fetchall():
        scratch.driver.executemany(f"INSERT INTO evaluation_results ({columns}) VALUES ({places})", rows)
        after, copied = (rows[-1][names.index("id")],), copied + len(rows)
    copy_sessions(db, scratch.driver, id_)
    return {table.name: read_table(db, table, id_) for table in tables}, copied


def copy_sessions(db: Connection, driver: sqlite3.Connection, evaluation_id: str) -> None:
    sessions = db.execute(
        "SELECT id, evaluation_id, message_count, started_at FROM evaluation_sessions WHERE evaluation_id = ?",
        [evaluation_id],
    ).fetchall()
    driver.executemany(
        """
        INSERT INTO evaluation_sessions (id, evaluation_id, message_count, started_at, kind, status, active_at)
        VALUES (?, ?, ?, ?, 'live_class_work', 'active', '')
        """,
        sessions,
    )


def read_table(db: Connection, table: Table, evaluation_id: str) -> Rows:
    columns = [*table.key, *table.counted]
    rows = db.execute(
        f"SELECT {', '.join(columns)} FROM {table.name} WHERE evaluation_id = ?", [evaluation_id]
    ).fetchall()
    named = (dict(zip(columns, map(plain, row), strict=True)) for row in rows)
    return {tuple(row[name] for name in table.key): row for row in named}


def plain(value: Any) -> Any:
    """The value as SQLite stores it."""
    if isinstance(value, datetime):
        return format_time(value)
    return int(value) if isinstance(value, bool) else value


def compare(evaluation_id: str, table: Table, expected: Rows, found: Rows) -> Iterator[Discrepancy]:
    for key in sorted(expected.keys() | found.keys(), key=str):
        right, stored = expected.get(key), found.get(key)
        id_ = f"{table.name}: {', '.join(str(part) or 'all versions' for part in key)}"
        if right is None or stored is None:
            yield Discrepancy("sum", id_, "A row is missing." if stored is None else "There should be no such row.")
            continue
        for name in table.counted:
            if not is_same(right[name], stored[name]):
                yield Discrepancy("sum", id_, f"The sum {name} is wrong.", right[name], stored[name])


def is_same(first: Any, second: Any) -> bool:
    if isinstance(first, float) or isinstance(second, float):
        return first == second or (
            None not in (first, second) and math.isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        )
    return bool(first == second)


def check_agents(check: HubCheck) -> Iterator[Discrepancy]:
    """Points, number of results and last result of each agent."""
    after = ""
    while rows := check.database.read_now(partial(read_agents, after=after)):
        for agent_id, *sums in rows:
            for name, stored, right in zip(("points", "results", "last_result_at"), sums[:3], sums[3:], strict=True):
                if not is_same(plain(stored), plain(right)):
                    yield Discrepancy("agent", agent_id, f"The sum {name} is wrong.", plain(right), plain(stored))
        after = rows[-1][0]
        check.count("agents with sums", len(rows))


def read_agents(db: Connection, after: str) -> list[Any]:
    points = UPDATE_POINTS.partition("=")[2]
    return db.execute(
        f"""
        SELECT id, points, results, last_result_at, {points},
            (SELECT count(*) {COUNTED_RESULTS}), (SELECT max(completed_at) {COUNTED_RESULTS})
        FROM agents WHERE id > ? ORDER BY id LIMIT ?
        """,
        [after, BATCH_AGENTS],
    ).fetchall()
