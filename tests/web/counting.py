"""A database that counts the statements its callers run."""

from collections.abc import Mapping

from viva.kit.db import Connection, Database, Item, Params, T, UnitOfWork, WorkOnAll
from viva.kit.rows import Cursor


class CountingConnection(Connection):
    def __init__(self, real: Connection, told: list[str], secret: bytes = b"") -> None:
        self.real, self.told = real, told
        self.skip_locked, self.by_character, self.place_in = real.skip_locked, real.by_character, real.place_in
        self.reads_row_by_row, self.links_events = real.reads_row_by_row, real.links_events
        self.has_round_trips = real.has_round_trips
        self.hash_form, self.time_form, self.secret = real.hash_form, real.time_form, secret or real.secret

    def execute(self, sql: str, params: Params = ()) -> Cursor:
        self.told.append(sql)
        return self.real.execute(sql, dict(params) if isinstance(params, Mapping) else params)

    def share_rows_of(self, table: str) -> str:
        return self.real.share_rows_of(table)

    def notify(self, topic: str) -> None:
        self.real.notify(topic)


class CountingDatabase(Database):
    """The real one, with every statement written down in `told`."""

    def __init__(self, real: Database) -> None:
        self.real = real
        self.notifier = real.notifier
        self.told: list[str] = []

    def counted(self, work: UnitOfWork[T]) -> UnitOfWork[T]:
        return lambda db: work(CountingConnection(db, self.told, self.secret))

    async def write(self, work: UnitOfWork[T], lane: str | None = None) -> T:
        return await self.real.write(self.counted(work), lane)

    async def write_together(self, work: WorkOnAll[Item, T], item: Item, lane: str) -> T | None:
        def counted(db: Connection, items: list[Item]) -> list[T | None]:
            return work(CountingConnection(db, self.told, self.secret), items)

        return await self.real.write_together(counted, item, lane)

    async def write_aside(self, work: UnitOfWork[T]) -> T:
        return await self.real.write_aside(self.counted(work))

    async def read(self, work: UnitOfWork[T]) -> T:
        return await self.real.read(self.counted(work))

    def write_now(self, work: UnitOfWork[T]) -> T:
        return self.real.write_now(self.counted(work))

    def read_now(self, work: UnitOfWork[T]) -> T:
        return self.real.read_now(self.counted(work))

    async def listen(self) -> None:
        await self.real.listen()

    async def settle(self) -> None:
        await self.real.settle()

    def close(self) -> None:
        self.real.close()
