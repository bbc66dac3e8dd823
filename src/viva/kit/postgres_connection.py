"""One PostgreSQL transaction, and the errors of the driver in our own classes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import psycopg
from psycopg import errors

from viva.kit.connections import Driver
from viva.kit.db import Connection, DatabaseDown, DiskFull, Params, RowLocked, TookTooLong, Violation
from viva.kit.postgres_notify import NOTIFY, payloads
from viva.kit.rows import Cursor
from viva.kit.units import BrokenUnit


class ConnectionLost(Exception):
    """The connection broke before the unit was committed, so the unit may run again."""


class PostgresConnection(Connection):
    """A transaction. `begin`, if given, is sent together with the first statement, which saves a round trip."""

    skip_locked = "FOR UPDATE SKIP LOCKED"
    lock_rows = "FOR NO KEY UPDATE"
    by_character = 'COLLATE "C"'
    place_in = "strpos"
    json_list = "jsonb_build_array"
    hash_form = "encode(sha256(convert_to({}, 'UTF8')), 'hex')"
    time_form = """to_char(({}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
    links_events = True
    has_round_trips = True
    reads_row_by_row = False

    def __init__(self, driver: Driver, begin: bytes | None = None, secret: bytes = b"") -> None:
        self.driver = driver
        self.secret = secret
        self.begin = begin
        self.is_shared = False  # with other units, so no statement may commit by itself
        self.is_whole = False  # a statement that commits by itself was sent
        self.topics: dict[str, None] = {}  # to notify after the commit: each once, in order

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        if self.is_whole:
            raise BrokenUnit("A unit executed another statement after `execute_whole`.")
        statement = to_psycopg(sql)
        with raise_violations():
            if self.begin is None:
                return self.driver.execute(statement, params)
            begin, self.begin = self.begin, None
            with self.driver.pipeline():
                self.driver.execute(begin, prepare=True)
                return self.driver.execute(statement, params)

    def execute_whole(self, sql: str, params: Params = ()) -> Cursor:
        if self.begin is None or self.is_shared:
            return self.execute(sql, params)
        begin, self.begin, self.is_whole = self.begin, None, True
        with raise_violations():
            cursor = self.driver.execute(to_psycopg(sql), params)
        if cursor.rowcount == 0:  # nothing was written, so the unit may go on to find out why
            self.begin, self.is_whole = begin, False
        return cursor

    def share_rows_of(self, table: str) -> str:
        return f"FOR KEY SHARE OF {table}"

    def notify(self, topic: str) -> None:
        self.topics[topic] = None

    def send_notifications(self) -> None:
        """Send the notifications as a part of this transaction."""
        self.is_whole = False
        self.execute(NOTIFY, [payloads(self.topics)])

    def roll_back(self) -> None:
        """Undo everything. If that fails, the connection is broken and the server has rolled back."""
        try:
            self.driver.rollback()
        except psycopg.Error:
            self.driver.close()

    def is_lost_after(self, error: psycopg.Error) -> bool:
        is_server_down = isinstance(error, errors.AdminShutdown | errors.CrashShutdown | errors.CannotConnectNow)
        return self.driver.closed or is_server_down


@contextmanager
def raise_violations() -> Iterator[None]:
    """Turn an IntegrityError of the driver into a Violation."""
    try:
        yield
    except errors.IntegrityError as error:
        raise Violation(error.diag.constraint_name or error.diag.column_name or "") from error


@cache
def to_psycopg(statement: str) -> bytes:
    """The statement with psycopg's placeholders instead of `?` and `:name`."""
    statement = statement.replace("%", "%%").replace("?", "%s")
    return re.sub(r"(?<!:):([a-z_][a-z_0-9]*)", r"%(\1)s", statement).encode()


def to_our_error(error: psycopg.Error) -> Exception:
    """Our error for an error of the driver, or the driver's own if we have none."""
    if isinstance(error, errors.IntegrityError):  # a deferred constraint, which is checked at the commit
        return Violation(error.diag.constraint_name or "")
    for driver_error, our_error in OUR_ERRORS.items():
        if isinstance(error, driver_error):
            return our_error()
    return error


OUR_ERRORS: dict[type[psycopg.Error], type[DatabaseDown]] = {
    errors.LockNotAvailable: RowLocked,
    errors.QueryCanceled: TookTooLong,
    errors.DiskFull: DiskFull,
    psycopg.OperationalError: DatabaseDown,
    psycopg.InterfaceError: DatabaseDown,
}
