"""Whether the hub is well: the process is up, and it can do its work."""

from litestar import Request, Router
from litestar import get as litestar_get
from msgspec import Struct

from viva.api.hub import hub_of
from viva.kit import migrating
from viva.kit.errors import Unavailable


class Health(Struct):
    status: str


class SchemaBehind(Unavailable):
    """The database's schema is behind this program; run `viva migrate`."""


@litestar_get("/healthz")
async def healthz() -> Health:
    """The process is up."""
    return Health("ok")


@litestar_get("/readyz")
async def readyz(request: Request) -> Health:
    """The database answers and its schema is current."""
    if not await hub_of(request).database.read(migrating.is_current):
        raise SchemaBehind()
    return Health("ready")


router = Router("/", route_handlers=[healthz, readyz])
