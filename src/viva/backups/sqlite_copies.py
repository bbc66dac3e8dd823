"""Copies of a SQLite file: taken while a hub writes, and put in its place while none runs."""

import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from viva.backups.archive import COPY_CHUNK_BYTES, SQLITE_NAME, BadBackup, free_name
from viva.kit.errors import Conflict
from viva.kit.sqlite_check import find_damage

JOURNAL_ENDINGS = ("-wal", "-shm", "-journal")


class HubRuns(Conflict):
    """A hub or another program uses the database. Stop the hub and its workers first; nothing was changed."""


def add_copy(archive: zipfile.ZipFile, database: Path, folder: Path) -> dict[str, int]:
    """Add a copy of the database as it is now. Returns the number of rows of each table."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".viva-backup-") as draft:
        copy = Path(draft) / SQLITE_NAME
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)  # in one read transaction, so writers do not wait
        archive.write(copy, SQLITE_NAME)
        return count_rows(copy)


def count_rows(database: Path) -> dict[str, int]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)) as driver:
        names = [
            name for (name,) in driver.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        return {name: driver.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def replace_database(archive: zipfile.ZipFile, database: Path, rows: dict[str, int]) -> Path | None:
    """Put the copy in the place of the database. Returns where the old one is now, if there was one."""
    database.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=database.parent, prefix=".viva-restore-") as draft:
        copy = Path(draft) / SQLITE_NAME
        extract(archive, copy)
        damage = find_damage(copy)
        if damage or count_rows(copy) != rows:
            raise BadBackup(f"The database in this backup is damaged: {damage or 'rows are missing'}.")
        with alone_with(database):
            return swap(copy, database)


def extract(archive: zipfile.ZipFile, target: Path) -> None:
    target.touch(mode=0o600)
    with archive.open(SQLITE_NAME) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file, COPY_CHUNK_BYTES)
        file.flush()
        os.fsync(file.fileno())


def swap(copy: Path, database: Path) -> Path | None:
    """Put the copy in the place of the database, which gets a second name before. A kill leaves one or the other.

    Its journals go first: they would be replayed over the copy."""
    aside = keep_aside(database) if database.exists() else None
    for ending in JOURNAL_ENDINGS:
        Path(f"{database}{ending}").unlink(missing_ok=True)
    os.replace(copy, database)
    sync_folder(database.parent)
    return aside


def keep_aside(database: Path) -> Path:
    """A second name for the file, or a copy where the disk has no second names."""
    aside = free_name(database.with_name(f"{database.name}.before-restore"))
    try:
        aside.hardlink_to(database)
    except OSError:
        shutil.copy2(database, aside)
    return aside


def sync_folder(folder: Path) -> None:
    """Make the new names last through a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def alone_with(database: Path) -> Iterator[None]:
    """Hold the database locked. Leaving the write-ahead log is possible only while nobody else has it open."""
    if not database.exists():
        yield
        return
    with closing(sqlite3.connect(database, timeout=0, isolation_level=None)) as driver:
        lock_alone(driver)
        yield


def lock_alone(driver: sqlite3.Connection) -> None:
    try:
        driver.execute("PRAGMA journal_mode = DELETE")
        driver.execute("BEGIN EXCLUSIVE")
    except sqlite3.DatabaseError as error:
        is_damaged = error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
        if not is_damaged:  # no hub runs with a damaged file
            raise HubRuns() from error
