"""Whether the hub is well: the process is up, and it can do its work."""

import asyncio

from litestar import Request, Router
from litestar import get as litestar_get
from msgspec import Struct

from viva.context import hub_of
from viva.jobs import queue
from viva.jobs.model import JobStatus
from viva.kit import limits, migrating
from viva.kit.db import Connection, Database
from viva.kit.errors import Unavailable


class Health(Struct):
    status: str


class Readiness(Struct):
    status: str
    jobs: dict[JobStatus, int]


class SchemaBehind(Unavailable):
    """The database's schema is behind this program; run `viva migrate`."""


class BackgroundFailing(Unavailable):
    """A background task of this process keeps failing; the log says why."""


class ReadinessCheck:
    """Asks the database once for all who want to know at the same time: the question costs a commit."""

    def __init__(self) -> None:
        self._asking: asyncio.Task[Readiness] | None = None

    async def ask(self, database: Database) -> Readiness:
        if self._asking is None:
            self._asking = asyncio.create_task(database.write_aside(readiness))
            self._asking.add_done_callback(self._end)
        return await asyncio.shield(self._asking)

    def _end(self, _: "asyncio.Task[Readiness]") -> None:
        self._asking = None


@litestar_get("/healthz")
async def healthz() -> Health:
    """The process is up."""
    return Health("ok")


@litestar_get("/readyz")
async def readyz(request: Request) -> Readiness:
    """The database can be written and its schema is current; with it, how many jobs there are of each status."""
    ready: Readiness = await request.app.state.readiness.ask(hub_of(request).database)
    failing = request.app.state.background.failing
    if failing:
        raise BackgroundFailing(f"Background tasks of this process keep failing: {', '.join(failing)}.")
    return ready


def readiness(db: Connection) -> Readiness:
    if not migrating.is_current(db):
        raise SchemaBehind()
    limits.note_readiness(db)  # a full disk, or a file that was moved, shows only when something is written
    return Readiness("ready", queue.tally(db))


router = Router("/", route_handlers=[healthz, readyz])
