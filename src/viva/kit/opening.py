"""Opens a database by its URL, and imports only the driver that it needs."""

from viva.kit.db import Database


def open_database(url: str) -> Database:
    if url.startswith("sqlite:///"):
        from viva.kit.sqlite import SqliteDatabase

        return SqliteDatabase(url.removeprefix("sqlite:///"))
    if url.startswith(("postgresql://", "postgres://")):
        from viva.kit.postgres import PostgresDatabase

        return PostgresDatabase(url)
    raise ValueError(f"A database address starts with sqlite:/// or postgresql://, not {url.split(':')[0]}:")
