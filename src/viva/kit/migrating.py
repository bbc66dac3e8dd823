"""Brings a database's schema up to date. A lock lets only one process migrate at a time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from viva.kit import sqlite_schema
from viva.kit.db import Connection
from viva.kit.opening import sqlite_path
from viva.kit.sqlite_schema import Revisions, UnusableDatabase

if TYPE_CHECKING:
    from alembic.config import Config as AlembicConfig
    from sqlalchemy import Connection as SqlConnection
    from sqlalchemy import Engine

MIGRATIONS_FOLDER = Path(__file__).parent.parent / "migrations"
MIGRATION_CONNECT_TIMEOUT_SECONDS = 10
MIGRATION_LOCK_ID = 7_461_993  # an arbitrary number for PostgreSQL's advisory lock
NEWEST_REVISION = "head"  # Alembic's word


class NewerSchema(Exception):
    """The database has a step that this program does not know."""


def migrate(url: str, revision: str = NEWEST_REVISION) -> list[str]:
    """Apply the missing steps, and return their names. An empty SQLite file gets the newest schema at once."""
    file = sqlite_path(url)
    created = sqlite_schema.create(file) if file and revision == NEWEST_REVISION else Revisions(None, None)
    if created.after == newest():  # Alembic would take 0.2 seconds to load
        return steps_of(created)
    return [*steps_of(created), *steps_of(replay(url, revision))]


def steps_of(revisions: Revisions) -> list[str]:
    """The names of the steps from one revision to another."""
    return [name for name in step_names() if (revisions.before or "") < name[:4] <= (revisions.after or "")]


def replay(url: str, revision: str) -> Revisions:
    """Apply the missing steps one by one."""
    from sqlalchemy import text

    with explain_driver_errors():
        engine, lock = engine_for(url)
        try:
            with engine.connect() as connection, connection.begin():
                connection.execute(text(lock))
                before = current_revision(connection)
                upgrade(connection, revision)
                return Revisions(before, current_revision(connection))
        finally:
            engine.dispose()


@contextmanager
def explain_driver_errors() -> Iterator[None]:
    from alembic.util import CommandError
    from sqlalchemy.exc import DatabaseError

    try:
        yield
    except CommandError as error:
        raise NewerSchema from error
    except DatabaseError as error:
        raise UnusableDatabase(str(error.orig or error).splitlines()[0]) from error


def upgrade(connection: "SqlConnection", revision: str) -> None:
    """Apply the steps up to this one, in the transaction of the connection."""
    from alembic import command

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def current_revision(connection: "SqlConnection") -> str | None:
    from alembic.runtime.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()


def revision_of(url: str) -> str | None:
    """The last step that was applied, or None without a hub. The check does not create a file."""
    file = sqlite_path(url)
    if file:
        return sqlite_schema.read_revision(file)
    with explain_driver_errors():
        engine, _ = engine_for(url)
        try:
            with engine.connect() as connection:
                return current_revision(connection)
        finally:
            engine.dispose()


def has_schema(url: str) -> bool:
    """Whether any step was ever applied."""
    return revision_of(url) is not None


class LockableEngine(NamedTuple):
    """An engine, and the statement that blocks other migrations until the transaction ends."""

    engine: "Engine"
    lock: str


def engine_for(url: str) -> LockableEngine:
    from sqlalchemy import create_engine, event

    from viva.kit.sqlite_connection import make_file

    file = sqlite_path(url)
    if file is None:
        address = url.replace("postgres://", "postgresql://").replace("postgresql://", "postgresql+psycopg://")
        engine = create_engine(address, connect_args={"connect_timeout": MIGRATION_CONNECT_TIMEOUT_SECONDS})
        return LockableEngine(engine, f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK_ID})")
    make_file(file)
    engine = create_engine(url)
    event.listen(engine, "connect", lambda driver, _: setattr(driver, "isolation_level", None))
    return LockableEngine(engine, "BEGIN EXCLUSIVE")


def alembic_config() -> "AlembicConfig":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER))
    return config


def newest() -> str:
    """The number of the last step, read from the file names, so that a request does not load Alembic."""
    return step_names()[-1][:4]


def step_names() -> list[str]:
    return sorted(path.stem for path in (MIGRATIONS_FOLDER / "versions").glob("[0-9]*.py"))


def is_current(db: Connection) -> bool:
    """Whether every step has been applied."""
    return bool(db.execute("SELECT version_num FROM alembic_version").fetchone() == (newest(),))
