"""What delivery needs to know of the hub it serves: its database, its secret and its limits."""

from pathlib import Path

from litestar.connection import ASGIConnection
from msgspec import Struct

from viva.kit.db import Database
from viva.kit.limits import RateLimits
from viva.kit.lru_cache import LruCache
from viva.sessions.model import Message


class Hub(Struct, frozen=True):
    database: Database
    secret: bytes
    base_url: str  # the address people type
    message_bytes: int
    body_bytes: int
    rate_limits: RateLimits | None  # None lifts every limit of frequency
    transcripts: LruCache[list[Message]]  # pages of them that were read
    proof_hosts: tuple[str, ...] = ()  # whose pages may be fetched for an agent to prove itself
    folders: dict[str, Path] = {}  # where data and database are, by what is there


def hub_of(connection: ASGIConnection) -> Hub:
    hub: Hub = connection.app.state.hub
    return hub
