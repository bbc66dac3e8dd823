"""Units that fail in odd ways, disks that are full and files that are moved: the database goes on and says what is wrong."""

import asyncio
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import make
from tests.conftest import fresh_url
from viva.kit.db import Connection, Database, DatabaseDown, DatabaseMoved, DiskFull
from viva.kit.opening import open_database
from viva.kit.sqlite import SqliteDatabase
from viva.kit.units import BrokenUnit, run_in_threads

FULL = 2_000_000  # characters, more than fit into the pages that a full disk has left


def raising(error: BaseException):
    def unit(db: Connection) -> None:
        make.agent(db, f"agent {id(error)}")
        raise error

    return unit


def throw(error: BaseException) -> None:
    raise error


def adding(name: str):
    return lambda db: make.agent(db, name).name


def names(database: Database) -> list[str]:
    rows = database.read_now(lambda db: db.execute("SELECT name FROM agents ORDER BY name").fetchall())
    return [name for (name,) in rows]


async def within_a_minute(*writes):
    return await asyncio.wait_for(asyncio.gather(*writes, return_exceptions=True), 60)


ODD_ERRORS = [StopIteration("odd"), asyncio.CancelledError(), GeneratorExit(), StopAsyncIteration(), SystemExit(3)]


@pytest.mark.parametrize("error", ODD_ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("lane", [None, "one"])
def test_whatever_a_unit_raises_its_caller_gets_an_error_and_the_others_are_written(database, error, lane):
    async def write() -> tuple[list, str]:
        outcomes = await within_a_minute(
            database.write(adding("ada"), lane),
            database.write(raising(error), lane),
            database.write(adding("paul"), lane),
        )
        return outcomes, await asyncio.wait_for(database.write(adding("pia"), lane), 60)

    (first, broken, third), later = asyncio.run(write())

    assert (first, third, later) == ("ada", "paul", "pia")
    assert isinstance(broken, Exception)
    assert isinstance(broken, BrokenUnit) == (not isinstance(error, StopAsyncIteration))
    assert names(database) == ["ada", "paul", "pia"]


@pytest.mark.parametrize("error", ODD_ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_a_thread_raises_its_caller_gets_an_error(error):
    with ThreadPoolExecutor(1) as threads:
        [broken] = asyncio.run(within_a_minute(run_in_threads(threads, lambda: throw(error))))

    assert isinstance(broken, Exception)


def test_a_unit_that_ends_the_transaction_itself_does_not_stop_the_writer(sqlite: SqliteDatabase):
    async def write() -> tuple[list, str]:
        outcomes = await within_a_minute(
            sqlite.write(lambda db: db.execute("ROLLBACK")), sqlite.write(lambda db: db.execute("COMMIT"))
        )
        return outcomes, await asyncio.wait_for(sqlite.write(adding("pia")), 60)

    outcomes, later = asyncio.run(write())

    assert [type(outcome) for outcome in outcomes] == [DatabaseDown, DatabaseDown]
    assert later == "pia"


def test_a_notification_that_fails_stops_neither_the_writer_nor_the_answer(sqlite: SqliteDatabase):
    def notify_badly(db: Connection) -> str:
        db.notify(["no", "topic"])  # type: ignore[arg-type]  # a list is no key of a dict
        return make.agent(db, "ada").name

    async def write() -> list:
        return await within_a_minute(sqlite.write(notify_badly), sqlite.write(adding("paul")))

    assert asyncio.run(write()) == ["ada", "paul"]


@pytest.fixture
def sqlite(request: pytest.FixtureRequest, tmp_path: Path):
    database = open_database(fresh_url("sqlite", request, tmp_path))
    assert isinstance(database, SqliteDatabase)
    yield database
    database.close()


# A full disk


def fill_up(database: SqliteDatabase) -> None:
    """Let the file grow no further, which SQLite tells as it tells a full disk."""
    for driver in (database._writer, database._own_driver()):
        (pages,) = driver.execute("PRAGMA page_count").fetchone()
        driver.execute(f"PRAGMA max_page_count = {pages}")


def large(db: Connection) -> None:
    make.agent(db, "large")
    db.execute("UPDATE agents SET description = ?", ["x" * FULL])


def test_a_full_disk_is_named_and_nothing_is_written(sqlite: SqliteDatabase):
    sqlite.write_now(adding("ada"))
    fill_up(sqlite)

    async def write() -> list:
        return await within_a_minute(sqlite.write(large), sqlite.write(large))

    outcomes = asyncio.run(write())

    assert [type(outcome) for outcome in outcomes] == [DiskFull, DiskFull]
    assert str(outcomes[0]).startswith("The disk of the database is full")
    with pytest.raises(DiskFull):
        sqlite.write_now(large)
    assert names(sqlite) == ["ada"]


def test_writes_go_on_once_the_disk_has_room_again(sqlite: SqliteDatabase):
    fill_up(sqlite)
    with pytest.raises(DiskFull):
        asyncio.run(sqlite.write(large))

    sqlite._writer.execute("PRAGMA max_page_count = 1000000")

    assert asyncio.run(sqlite.write(adding("ada"))) == "ada"


# A file that is moved


def test_a_moved_file_takes_no_writes_until_it_is_back(sqlite: SqliteDatabase):
    sqlite.write_now(adding("ada"))
    moved = sqlite.path.with_suffix(".moved")
    sqlite.path.rename(moved)

    async def write() -> list:
        return await within_a_minute(
            sqlite.write(adding("paul")), sqlite.read(lambda db: db.execute("SELECT 1").fetchone())
        )

    refused, read = asyncio.run(write())

    assert isinstance(refused, DatabaseMoved)
    assert read == (1,)
    with pytest.raises(DatabaseMoved):
        sqlite.write_now(adding("paul"))
    (of_a_new_thread,) = make.together(lambda: sqlite.read_now(lambda db: None))
    assert isinstance(of_a_new_thread, DatabaseMoved)
    assert not sqlite.path.exists()

    moved.rename(sqlite.path)
    assert asyncio.run(sqlite.write(adding("paul"))) == "paul"
    assert names(sqlite) == ["ada", "paul"]


def test_a_file_put_in_the_place_of_another_takes_no_writes(sqlite: SqliteDatabase, tmp_path: Path):
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as driver:
        driver.execute("CREATE TABLE things (a)")
    os.replace(other, sqlite.path)

    with pytest.raises(DatabaseMoved, match="moved or replaced"):
        asyncio.run(sqlite.write(adding("paul")))
