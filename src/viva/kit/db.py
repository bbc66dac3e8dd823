"""The database as flows and stores see it. SQLite and PostgreSQL have the same interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from viva.kit.actors import HUB, Actor
from viva.kit.errors import Unavailable, VivaError
from viva.kit.notifier import Notifier
from viva.kit.rows import Cursor

T = TypeVar("T")
Item = TypeVar("Item")
Params = Sequence[Any] | Mapping[str, Any]


class DatabaseDown(Unavailable):
    """The database does not answer just now; nothing was written. Try again in a moment."""


class DatabaseBusy(DatabaseDown):
    """Too many requests wait for the database just now; nothing was written. Try again in a moment."""


class RowLocked(DatabaseDown):
    """Another request is changing this just now; nothing was written. Try again in a moment."""


class TookTooLong(DatabaseDown):
    """The database gave up on this because it took too long; nothing was written."""


class DiskFull(DatabaseDown):
    """The disk of the database is full; nothing was written. The operator of this hub has to free space."""


class DatabaseMoved(DatabaseDown):
    """The file of the database was moved or replaced; nothing was written. Put it back, or start the hub again."""


# Any route may answer these while the database has a problem.
DATABASE_ERRORS = (DatabaseDown, DatabaseBusy, RowLocked, TookTooLong, DiskFull, DatabaseMoved)


class NeedsThread(Exception):
    """A read on the event loop found that it would take long. It must run again in a thread."""


class Violation(Exception):
    """A constraint of the schema refused a statement; `constraint` is its name."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class Connection(ABC):
    """One transaction. Parameters are `?` with a sequence, or `:name` with a mapping."""

    # The clause that lets a SELECT lock its rows and skip rows locked by others. SQLite needs none: it has one writer.
    skip_locked = ""
    # The clause that lets a SELECT lock its rows, and wait for those that others have locked. SQLite needs none.
    lock_rows = ""
    # The collation by code points, which a prefix search needs. It is SQLite's default.
    by_character = ""
    # The function that gives the position of one text in another, or 0. LIKE restarts at every character, which takes
    # a hundred times as long on hostile texts.
    place_in = "instr"
    # The function that makes a JSON list of its arguments.
    json_list = "json_array"
    # The SQL for the SHA-256 of a text in braces, as hexadecimal digits. SQLite calls a function of Python.
    hash_form = "sha256_hex({})"
    # The SQL for a time in braces as `clock.format_time` writes it. SQLite stores times so.
    time_form = "{}"
    # Who acts in this unit; see events.py.
    actor: Actor = HUB
    # The hub's secret, for keyed hashes of what must not be readable in the database; see agents/name_locks.py.
    secret: bytes = b""
    # Whether the schema links events to their chain at the commit. If not, the code that records them does.
    links_events = False
    # Whether each statement waits for the answer of a server.
    has_round_trips = False
    # Whether this unit runs on the event loop, where everybody waits for it.
    is_on_loop = False
    # Whether the driver reads rows one by one, so that a caller can stop early. If not, it reads all at once.
    reads_row_by_row = True

    @abstractmethod
    def execute(self, sql: str, params: Params = ()) -> Cursor: ...

    def execute_many(self, sql: str, rows: Sequence[Params]) -> None:
        """Execute the statement once for each row of parameters."""
        for row in rows:
            self.execute(sql, row)

    def share_rows_of(self, table: str) -> str:
        """The clause that lets a SELECT wait for a change of the keys of its rows. SQLite needs none, as above."""
        return ""

    def leave_loop(self) -> None:
        """Go on only in a thread, because what follows takes long. The route must be declared as slow."""
        if self.is_on_loop:
            raise NeedsThread()

    def execute_whole(self, sql: str, params: Params = ()) -> Cursor:
        """Execute the only statement that this unit writes with. It may commit at once, which saves round trips."""
        return self.execute(sql, params)

    @abstractmethod
    def notify(self, topic: str) -> None:
        """Notify the subscribers of `topic` in every process, once this transaction is committed."""


UnitOfWork = Callable[[Connection], T]
Write = Callable[[UnitOfWork[Any]], Any]  # runs a unit and commits it
# Work on the items of several callers. It returns one answer for each item in order, None for a refused item.
WorkOnAll = Callable[[Connection, list[Item]], list[T | None]]


class Database(ABC):
    """Runs units of work. Each is written as a whole or not at all."""

    notifier: Notifier

    # The hub's secret, which every unit gets with its connection. Whoever opens the database for a hub sets it.
    secret: bytes = b""
    # Whether `read` runs on the event loop, so that a long read needs a thread.
    reads_on_loop = False

    @abstractmethod
    async def write(self, work: UnitOfWork[T], lane: str | None = None) -> T:
        """Run the unit and commit it. Units of one lane change the same rows and are committed together."""

    @abstractmethod
    async def write_together(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        """Work on the item together with the items of other callers, as one unit. None if the item was refused."""

    @abstractmethod
    async def read(self, work: UnitOfWork[T]) -> T: ...

    @abstractmethod
    def write_now(self, work: UnitOfWork[T]) -> T:
        """`write` for callers outside the event loop: commands and tests."""

    @abstractmethod
    def read_now(self, work: UnitOfWork[T]) -> T: ...

    @abstractmethod
    async def write_aside(self, work: UnitOfWork[T]) -> T:
        """`write` that does not wait for other units of this process. The health check uses it."""

    @abstractmethod
    async def listen(self) -> None:
        """Receive the notifications of committed transactions, until cancelled."""

    @abstractmethod
    async def settle(self) -> None:
        """Wait for the running writes, before `close`."""

    @abstractmethod
    def close(self) -> None: ...


@contextmanager
def refusing(errors: dict[str, type[VivaError]]) -> Iterator[None]:
    """Turn the violation of a named constraint into its error."""
    try:
        yield
    except Violation as violation:
        error = errors.get(violation.constraint)
        if error is None:
            raise
        raise error() from violation
