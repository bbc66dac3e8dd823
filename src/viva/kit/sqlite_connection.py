"""One SQLite connection, and the errors of the driver in our own classes."""

import re
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from viva.kit.clock import format_time
from viva.kit.db import Connection, DatabaseDown, DiskFull, Params, Violation
from viva.kit.hashing import hash_joined
from viva.kit.rows import Cursor

BUSY_TIMEOUT_MS = 5_000  # another process, such as `viva maintainer`, may lock the file briefly

sqlite3.register_adapter(datetime, format_time)


class SqliteConnection(Connection):
    def __init__(self, driver: sqlite3.Connection, secret: bytes = b"") -> None:
        self.driver = driver
        self.secret = secret
        self.topics: list[str] = []  # to notify after the commit

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        try:
            return self.driver.execute(sql, params)
        except sqlite3.IntegrityError as error:
            raise Violation(constraint_name(str(error))) from error

    def execute_many(self, sql: str, rows: Sequence[Params]) -> None:
        try:
            self.driver.executemany(sql, rows)
        except sqlite3.IntegrityError as error:
            raise Violation(constraint_name(str(error))) from error

    def notify(self, topic: str) -> None:
        self.topics.append(topic)


def constraint_name(message: str) -> str:
    """The constraint in a driver's message, named as in PostgreSQL: `table_column_key` for a UNIQUE one."""
    kind, _, subject = message.partition(": ")
    if kind == "UNIQUE constraint failed":
        if subject.startswith("index "):
            return subject.removeprefix("index ").strip("'")
        table = subject.partition(".")[0]
        return "_".join([table, *re.findall(r"\.(\w+)", subject), "key"])
    return subject or kind


def roll_back(driver: sqlite3.Connection) -> None:
    if driver.in_transaction:
        driver.execute("ROLLBACK")


def to_our_error(error: sqlite3.Error) -> Exception:
    """Our error for an error of the driver, or the driver's own for a mistake in our SQL."""
    if isinstance(error, sqlite3.IntegrityError):
        return Violation(constraint_name(str(error)))
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_ERROR or not isinstance(error, sqlite3.DatabaseError):  # a mistake in our SQL
        return error
    down = DiskFull() if code == sqlite3.SQLITE_FULL else DatabaseDown()
    down.__cause__ = error
    return down


def begin_with_timeout(driver: sqlite3.Connection) -> None:
    driver.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    try:
        driver.execute("BEGIN IMMEDIATE")
    finally:
        driver.execute("PRAGMA busy_timeout = 0")


def make_file(path: Path) -> None:
    """Make the file if it is missing, readable for its owner only, since it holds running exams.

    SQLite gives its other files the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)


def connect(path: Path, *pragmas: str) -> sqlite3.Connection:
    make_file(path)
    driver = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    default_pragmas = (
        f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
        "PRAGMA journal_mode = WAL",
        "PRAGMA foreign_keys = ON",
        "PRAGMA secure_delete = ON",  # a deleted text is overwritten; not every build of SQLite does that by default
    )
    for pragma in (*default_pragmas, *pragmas):
        driver.execute(pragma)
    # SQLite's own lower() handles ASCII only.
    driver.create_function("lower", 1, lambda text: text if text is None else str(text).lower(), deterministic=True)
    driver.create_function("sha256_hex", 1, hash_joined, deterministic=True)
    return driver
