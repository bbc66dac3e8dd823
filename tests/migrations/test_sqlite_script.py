"""A new SQLite file gets the schema of all steps from one script."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from generating.schema import schema_script
from viva.kit.migrating import NEWEST_REVISION, migrate, newest, replay, step_names
from viva.kit.sqlite_schema import SCHEMA_FILE, UnusableDatabase, read_revision


def test_the_script_makes_exactly_what_the_steps_make(tmp_path):
    by_steps, by_script = tmp_path / "steps.db", tmp_path / "script.db"

    replay(f"sqlite:///{by_steps}", NEWEST_REVISION)
    migrate(f"sqlite:///{by_script}")

    assert SCHEMA_FILE.read_text() == schema_script(), "run `make schema`"
    assert dump(by_script) == dump(by_steps)


def dump(path: Path) -> list[str]:
    """Everything in the file, tables and rows."""
    with closing(sqlite3.connect(path)) as driver:
        return list(driver.iterdump())


def test_of_several_that_begin_at_once_one_makes_the_schema(tmp_path):
    url = f"sqlite:///{tmp_path / 'viva.db'}"

    with ThreadPoolExecutor(4) as pool:
        steps = list(pool.map(migrate, [url] * 4))

    assert sorted(steps) == [[], [], [], step_names()]


def test_a_command_beside_a_hub_does_not_wait_for_its_writes(tmp_path):
    path = tmp_path / "viva.db"
    migrate(f"sqlite:///{path}")

    with closing(sqlite3.connect(path, isolation_level=None)) as hub:
        hub.execute("BEGIN IMMEDIATE")
        steps = migrate(f"sqlite:///{path}")  # would raise UnusableDatabase after the time limit of a lock

    assert steps == []


def test_a_file_that_is_not_empty_gets_the_steps_and_keeps_what_it_has(tmp_path):
    path = tmp_path / "viva.db"
    with closing(sqlite3.connect(path)) as driver:
        driver.execute("CREATE TABLE of_another_program (word TEXT)")

    migrate(f"sqlite:///{path}")

    assert read_revision(path) == newest()
    assert "CREATE TABLE of_another_program (word TEXT);" in dump(path)


@pytest.mark.parametrize("make", [migrate, lambda url: read_revision(Path(url.removeprefix("sqlite:///")))])
def test_a_file_that_is_no_database_is_named_unusable(tmp_path, make):
    path = tmp_path / "viva.db"
    path.write_text("This is a letter, and no database at all. " * 40)

    with pytest.raises(UnusableDatabase, match="not a database"):
        make(f"sqlite:///{path}")
