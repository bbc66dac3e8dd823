"""The database as flows and stores see it: a connection that takes SQL, alike on SQLite and PostgreSQL."""

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
    """Too much waits for the database just now; nothing was written. Try again in a moment."""


class RowLocked(DatabaseDown):
    """Somebody else is changing this just now, and it took too long; nothing was written. Try again in a moment."""


class TookTooLong(DatabaseDown):
    """The database gave up on this because it took too long; nothing was written."""


class DiskFull(DatabaseDown):
    """The disk of the database is full; nothing was written. Whoever runs this hub has to make room."""


class DatabaseMoved(DatabaseDown):
    """The file of the database was moved or replaced; nothing was written. Put it back, or start the hub again."""


# What any route may answer while the database is not well.
DATABASE_ERRORS = (DatabaseDown, DatabaseBusy, RowLocked, TookTooLong, DiskFull, DatabaseMoved)


class Violation(Exception):
    """A constraint of the schema refused a statement; `constraint` is its name."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class Connection(ABC):
    """One transaction. Parameters are `?` with a sequence, or `:name` with a mapping."""

    # What makes a SELECT lock its rows and pass over those that others have locked; "" where one writes at a time.
    skip_locked = ""
    # What compares texts by their characters' numbers, as a search for beginnings needs; "" where all are compared so.
    by_character = ""
    # The function that tells at which character of a text another begins, 0 where it is not in it. LIKE begins anew at
    # every character, which takes a hundred times as long in texts that were written to be slow.
    place_in = "instr"
    # Who acts in this unit; see events.py.
    actor: Actor = HUB
    # Whether rows are read when they are asked for, so that whoever stops early reads no more; else all at once.
    reads_row_by_row = True

    @abstractmethod
    def execute(self, sql: str, params: Params = ()) -> Cursor: ...

    def execute_whole(self, sql: str, params: Params = ()) -> Cursor:
        """Execute the only statement of this unit that writes. It may be committed at once, which saves round trips."""
        return self.execute(sql, params)

    @abstractmethod
    def wake(self, topic: str) -> None:
        """Wake whoever waits for `topic`, in any process, once this transaction is committed."""


UnitOfWork = Callable[[Connection], T]
# Work on the items of several callers at once: one answer for each, in their order, None for an item that was refused.
WorkOnAll = Callable[[Connection, list[Item]], list[T | None]]


class Database(ABC):
    """Runs units of work. Each is written as a whole or not at all."""

    wakes: Notifier

    @abstractmethod
    async def write(self, work: UnitOfWork[T], lane: str | None = None) -> T:
        """Run the unit and commit it. Units of one lane change the same rows: they are committed together."""

    async def write_together(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        """Work on the item together with those of other callers. `work` executes one statement, which is its whole.

        None if the item was refused, or if this database gains nothing by it. The caller then uses `write`."""
        return None

    @abstractmethod
    async def read(self, work: UnitOfWork[T]) -> T: ...

    @abstractmethod
    def write_now(self, work: UnitOfWork[T]) -> T:
        """`write` for callers outside the event loop: commands and tests."""

    @abstractmethod
    def read_now(self, work: UnitOfWork[T]) -> T: ...

    @abstractmethod
    async def write_aside(self, work: UnitOfWork[T]) -> T:
        """`write` that waits for no other unit of this process, for the question whether the database is well."""

    @abstractmethod
    async def listen(self) -> None:
        """Pass wake-ups of committed transactions on to this process, until cancelled."""

    @abstractmethod
    async def settle(self) -> None:
        """Wait for writes under way, before `close`."""

    @abstractmethod
    def close(self) -> None: ...


@contextmanager
def refusing(errors: dict[str, type[VivaError]]) -> Iterator[None]:
    """Turn the violation of a named constraint into the error that stands for it."""
    try:
        yield
    except Violation as violation:
        error = errors.get(violation.constraint)
        if error is None:
            raise
        raise error() from violation
