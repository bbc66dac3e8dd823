"""Who may send a message of another protocol, how often and how large. What the message does is checked by the API."""

from litestar import Request

from viva.agents import access
from viva.context import HubContext, address_of, headers_in, hub_of
from viva.kit.errors import TooLarge, Unauthorized
from viva.kit.limits import subject_of
from viva.protocols.bearers import bearer_key

MAX_MESSAGE_BYTES_WITHOUT_KEY = 64 * 1024  # as for the API: a larger body needs a valid key before it is read


async def admit_message(request: Request) -> HubContext:
    """Count the request for its address, and check its size. The calls that it makes count for its key, too."""
    hub = hub_of(request)
    if hub.rate_limits:
        await hub.rate_limits.address.take(hub.database, subject_of(address_of(request)))
    await check_size(request, hub)
    return hub


async def check_size(request: Request, hub: HubContext) -> None:
    """Read a large body only for an account."""
    headers = headers_in(request.scope)
    length = headers.get(b"content-length", b"0")
    size = int(length) if length.isdigit() else hub.body_bytes
    if size <= MAX_MESSAGE_BYTES_WITHOUT_KEY and b"transfer-encoding" not in headers:
        return
    if size > hub.body_bytes:
        raise TooLarge()
    key = bearer_key(request.scope)
    if key is None:
        raise Unauthorized()
    await hub.database.read(lambda db: access.caller(db, key))
