"""Whether the hub is well: the process is up, and it can do its work."""

from litestar import Request, Router
from litestar import get as litestar_get
from msgspec import Struct

from viva.context import hub_of
from viva.jobs import queue
from viva.jobs.model import Status
from viva.kit import migrating
from viva.kit.db import Connection
from viva.kit.errors import Unavailable


class Health(Struct):
    status: str


class Readiness(Struct):
    status: str
    jobs: dict[Status, int]


class SchemaBehind(Unavailable):
    """The database's schema is behind this program; run `viva migrate`."""


@litestar_get("/healthz")
async def healthz() -> Health:
    """The process is up."""
    return Health("ok")


@litestar_get("/readyz")
async def readyz(request: Request) -> Readiness:
    """The database answers and its schema is current; with it, how many jobs there are of each status."""
    return await hub_of(request).database.read(readiness)


def readiness(db: Connection) -> Readiness:
    if not migrating.is_current(db):
        raise SchemaBehind()
    return Readiness("ready", queue.tally(db))


router = Router("/", route_handlers=[healthz, readyz])
