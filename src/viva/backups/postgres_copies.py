"""Copies of a PostgreSQL database, table by table, with COPY. No program of PostgreSQL has to be installed."""

import zipfile
from graphlib import TopologicalSorter
from typing import NamedTuple

import psycopg
from psycopg import sql

from viva.backups.archive import COPY_CHUNK_BYTES, TABLES_FOLDER, BadBackup
from viva.backups.sqlite_copies import HubRuns
from viva.kit.connections import APPLICATION_NAME, Driver
from viva.kit.migrating import engine_for, upgrade

REVISION_TABLE = "alembic_version"


class TableColumns(NamedTuple):
    """The columns of a table that hold values of their own, and the one that counts up by itself."""

    names: list[str]
    identity: str | None


def add_copies(archive: zipfile.ZipFile, url: str) -> dict[str, int]:
    """Add every table as it is at one moment. Returns the number of rows of each."""
    with psycopg.connect(url, application_name=APPLICATION_NAME) as driver:
        driver.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        return {table: add_table(archive, driver, table) for table in list_tables(driver)}


def add_table(archive: zipfile.ZipFile, driver: Driver, table: str) -> int:
    columns = map(sql.Identifier, columns_of(driver, table).names)
    statement = sql.SQL("COPY {} ({}) TO STDOUT").format(sql.Identifier(table), sql.SQL(", ").join(columns))
    with (
        archive.open(f"{TABLES_FOLDER}{table}", "w", force_zip64=True) as file,
        driver.cursor() as cursor,
    ):
        with cursor.copy(statement) as copy:
            for chunk in copy:
                file.write(chunk)
        return cursor.rowcount


def list_tables(driver: Driver) -> list[str]:
    """The tables of the hub. A table comes after those that its rows refer to."""
    names = driver.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
    ).fetchall()
    # Keys that are checked at the commit need no order. Two of them point at each other.
    references = driver.execute(
        """
        SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
        WHERE contype = 'f' AND NOT condeferrable AND conrelid <> confrelid
            AND connamespace = current_schema()::regnamespace
        """
    ).fetchall()
    order: TopologicalSorter[str] = TopologicalSorter({name: () for (name,) in sorted(names)})
    for table, target in references:
        order.add(table, target)
    return list(order.static_order())


def columns_of(driver: Driver, table: str) -> TableColumns:
    rows = driver.execute(
        """
        SELECT attname, attidentity <> '' FROM pg_attribute
        WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum
        """,
        [table],
    ).fetchall()
    return TableColumns([name for name, _ in rows], next((name for name, counts in rows if counts), None))


def replace_tables(archive: zipfile.ZipFile, url: str, revision: str, rows: dict[str, int]) -> bool:
    """Replace the hub in the database by the copies, in one transaction. Returns whether there was a hub."""
    engine, lock = engine_for(url)
    try:
        with engine.connect() as connection, connection.begin():
            driver: Driver = connection.connection.driver_connection  # type: ignore[assignment]  # of psycopg
            driver.execute(lock.encode())
            check_alone(driver)
            had_hub = drop_tables(driver)
            upgrade(connection, revision)
            for table in list_tables(driver):
                if table != REVISION_TABLE:
                    fill_table(archive, driver, table, rows.get(table, 0))
        return had_hub
    finally:
        engine.dispose()


def check_alone(driver: Driver) -> None:
    (others,) = driver.execute(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = %s AND pid <> pg_backend_pid()
        """,
        [APPLICATION_NAME],
    ).fetchone() or (0,)
    if others:
        raise HubRuns()


def drop_tables(driver: Driver) -> bool:
    tables = list_tables(driver)
    if tables and REVISION_TABLE not in tables:
        raise BadBackup("The database has tables of another program. Name an empty database.")
    for table in tables:
        driver.execute(sql.SQL("DROP TABLE {} CASCADE").format(sql.Identifier(table)))
    functions = driver.execute(
        """
        SELECT p.oid::regprocedure::text FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS
            (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
        """
    ).fetchall()
    for (signature,) in functions:
        driver.execute(f"DROP FUNCTION {signature}".encode())
    return bool(tables)


def fill_table(archive: zipfile.ZipFile, driver: Driver, table: str, expected: int) -> None:
    columns = columns_of(driver, table)
    names = sql.SQL(", ").join(map(sql.Identifier, columns.names))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
    with archive.open(f"{TABLES_FOLDER}{table}") as file, driver.cursor() as cursor:
        with cursor.copy(statement) as copy:
            while chunk := file.read(COPY_CHUNK_BYTES):
                copy.write(chunk)
        if cursor.rowcount != expected:
            raise BadBackup(f"The table {table} of this backup has {cursor.rowcount} rows and should have {expected}.")
    if columns.identity:
        driver.execute(
            sql.SQL("SELECT setval(pg_get_serial_sequence({}, {}), max({})) FROM {}").format(
                table, columns.identity, sql.Identifier(columns.identity), sql.Identifier(table)
            )
        )
