"""The newest schema in one script, for a new SQLite file: the steps of `migrations` would take a third of a second."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from viva.kit.sqlite_connection import BUSY_TIMEOUT_MS, make_file

SCHEMA_FILE = Path(__file__).parent.parent / "migrations" / "sqlite.sql"
STATEMENT_END = ";\n\n"  # no statement of a step has an empty line


class UnusableDatabase(Exception):
    """The database cannot be reached, read or written. The text is the driver's reason, in one line."""


class Revisions(NamedTuple):
    """The last step before and after a migration; None stands for an empty database."""

    before: str | None
    after: str | None


def create(path: Path) -> Revisions:
    """Give an empty file the schema. A file with anything in it stays as it is, and nobody waits for a look at it."""
    make_file(path)
    with open_file(path) as driver:
        found = find_revision(driver)
        if found:
            return Revisions(found, found)
        driver.execute("BEGIN EXCLUSIVE")
        before = find_revision(driver)
        if driver.execute("SELECT 1 FROM sqlite_master").fetchone() is None:
            for statement in SCHEMA_FILE.read_text(encoding="utf-8").split(STATEMENT_END):
                driver.execute(statement)
        after = find_revision(driver)
        driver.execute("COMMIT")
    return Revisions(before, after)


def read_revision(path: Path) -> str | None:
    """The last step that was applied, or None without a hub. The check does not create a file."""
    if not path.is_file():
        return None
    with open_file(path) as driver:
        return find_revision(driver)


@contextmanager
def open_file(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(path, BUSY_TIMEOUT_MS / 1_000, isolation_level=None)) as driver:
            yield driver
    except sqlite3.DatabaseError as error:
        raise UnusableDatabase(str(error)) from error


def find_revision(driver: sqlite3.Connection) -> str | None:
    if driver.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone() is None:
        return None
    found = driver.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found[0]) if found else None


def write_script(path: Path) -> str:
    """The script that makes an empty file what this one is. It is a file that no hub has used."""
    with open_file(path) as driver:
        made = driver.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid"
        )
        revision = f"INSERT INTO alembic_version VALUES ('{find_revision(driver)}')"
        return STATEMENT_END.join([*(statement for (statement,) in made), revision]) + "\n"
