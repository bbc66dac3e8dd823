"""PostgreSQL databases for one test after another. Their connections stay: a new one costs the server as much as a test."""

import time
from collections import defaultdict
from functools import cache
from typing import Any

import psycopg

from viva.kit.connections import Connections
from viva.kit.postgres import PostgresDatabase

Driver = psycopg.Connection[Any]
MAX_KEPT_CONNECTIONS = 5  # of each pool of a database: as many as a hub without visitors uses at once
# What still runs when a test has ended, such as a statement of its background work.
END_WHAT_RUNS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle'
"""
# A table that no test has written to has no bytes.
WRITTEN_TABLES = """
    SELECT tablename, pg_relation_size(quote_ident(tablename)::regclass) > 0 FROM pg_tables WHERE schemaname = 'public'
"""


class KeptPostgres(PostgresDatabase):
    """A database that begins with the idle connections of an earlier one, and leaves its own to the next."""

    def __init__(self, url: str, kept: "KeptConnections") -> None:
        super().__init__(url)
        self.kept = kept
        for pool, idle in zip(self.pools(), kept.idle[url], strict=True):
            pool._idle.extend(idle)
            idle.clear()

    def pools(self) -> tuple[Connections, ...]:
        return (self._writers, self._readers, self._aside, self._together)

    def close(self) -> None:
        for pool, idle in zip(self.pools(), self.kept.idle[self.url], strict=True):
            while pool._idle and len(idle) < MAX_KEPT_CONNECTIONS:
                idle.append(pool._idle.pop())
        super().close()


class KeptConnections:
    """The idle connections of all databases, and one for each that takes its rows out."""

    def __init__(self, template_url: str) -> None:
        self.idle: dict[str, tuple[list[Driver], ...]] = defaultdict(lambda: ([], [], [], []))
        self.left_empty: list[str] = []  # addresses of databases that tests are done with
        with psycopg.connect(template_url) as driver:  # a template is copied only while nobody is connected with it
            self.tables = {name for name, _ in tables_in(driver)}

    @cache  # noqa: B019 - it lives as long as the run
    def cleaner(self, url: str) -> Driver:
        driver = psycopg.connect(url, autocommit=True)
        driver.execute("SET session_replication_role = replica")  # no key between tables is checked
        return driver

    def close_idle(self, url: str) -> None:
        """Close the idle connections, for a test that looks at connections itself."""
        for pool in self.idle.pop(url, ()):
            for driver in pool:
                driver.close()

    def is_emptied(self, url: str) -> bool:
        """Take every row out; whether the database is like a new one then, with these tables and no others."""
        try:
            is_empty = self.empty(self.cleaner(url))
        except psycopg.OperationalError:  # the test ended every connection of its database
            is_empty = False
        if not is_empty:
            self.cleaner(url).close()
            self.close_idle(url)
        return is_empty

    def empty(self, driver: Driver) -> bool:
        while driver.execute(END_WHAT_RUNS).fetchall():
            time.sleep(0.002)
        found = tables_in(driver)
        if {name for name, _ in found} != self.tables:
            return False
        written = [name for name, has_bytes in found if has_bytes and name != "alembic_version"]
        driver.execute("; ".join(f"DELETE FROM {name}" for name in written))
        return True


def tables_in(driver: Driver) -> list[tuple[str, bool]]:
    return driver.execute(WRITTEN_TABLES).fetchall()
