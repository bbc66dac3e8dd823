"""What delivery needs to know of the hub it serves: its database, its secret and its limits."""

from litestar.connection import ASGIConnection
from msgspec import Struct

from viva.kit.db import Database
from viva.kit.limits import RateLimit
from viva.kit.shelf import Shelf
from viva.sessions.model import Message


class RateLimits(Struct, frozen=True):
    """How often one key and one address may call, and how often an address may write without a key."""

    key: RateLimit
    address: RateLimit
    nameless: RateLimit


class Hub(Struct, frozen=True):
    database: Database
    secret: bytes
    message_bytes: int
    body_bytes: int
    rate_limits: RateLimits | None  # None lifts every limit of frequency
    pages: Shelf[list[Message]]  # of transcripts


def hub_of(connection: ASGIConnection) -> Hub:  # type: ignore[type-arg]
    hub: Hub = connection.app.state.hub
    return hub
