"""Health checks: whether the process runs, and whether it can do its work."""

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
    """The schema of the database is older than this program. Run `viva migrate`."""


class BackgroundFailing(Unavailable):
    """A background task of this process keeps failing. The log has the reason."""


class ReadinessCheck:
    """Checks the database once for all requests that wait at the same time, because each check costs a commit."""

    def __init__(self) -> None:
        self._check: asyncio.Task[Readiness] | None = None

    async def run(self, database: Database) -> Readiness:
        if self._check is None:
            self._check = asyncio.create_task(database.write_aside(check_readiness))
            self._check.add_done_callback(self._forget)
        return await asyncio.shield(self._check)

    def _forget(self, _: "asyncio.Task[Readiness]") -> None:
        self._check = None


@litestar_get("/healthz")
async def healthz() -> Health:
    """The process runs."""
    return Health("ok")


@litestar_get("/readyz")
async def readyz(request: Request) -> Readiness:
    """The database is writable and its schema is current. The answer has the number of jobs of each status."""
    readiness: Readiness = await request.app.state.readiness.run(hub_of(request).database)
    failing = request.app.state.background.failing
    if failing:
        raise BackgroundFailing(f"Background tasks of this process keep failing: {', '.join(failing)}.")
    return readiness


def check_readiness(db: Connection) -> Readiness:
    if not migrating.is_current(db):
        raise SchemaBehind()
    limits.note_readiness(db)  # only a write shows a full disk or a moved file
    return Readiness("ready", queue.tally(db))


router = Router("/", route_handlers=[healthz, readyz])
