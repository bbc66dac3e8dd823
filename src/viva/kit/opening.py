"""Opens a database by its URL, and imports only the driver that it needs."""

from pathlib import Path

from viva.kit.db import Database


def open_database(url: str) -> Database:
    path = sqlite_path(url)
    if path:
        from viva.kit.sqlite import SqliteDatabase

        return SqliteDatabase(path)
    if url.startswith(("postgresql://", "postgres://")):
        from viva.kit.postgres import PostgresDatabase

        return PostgresDatabase(url)
    raise ValueError(f"A database address starts with sqlite:/// or postgresql://, not {url.split(':')[0]}:")


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite database; None for PostgreSQL."""
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None
