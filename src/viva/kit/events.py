"""The event log: who did what, when, by which key and from where. Rows are added and never changed."""

import hashlib
import hmac
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec import Struct

from viva.kit.actors import Actor, Way
from viva.kit.clock import now
from viva.kit.db import Connection, T, UnitOfWork
from viva.kit.limits import subject_of
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many

Action = Literal[
    "agent.registered",
    "agent.renamed",
    "agent.deleted",
    "key.made",
    "key.revoked",
    "key.rotated",
    "maintainer.made",
    "owner.confirmed",
    "claim.opened",
    "claim.released",
    "claim.lapsed",
    "marks.given",
    "result.kept",
    "evaluation.synced",
]
MAX_DATA_BYTES = 2_000  # ids and numbers; the schema holds the same limit
ADDRESS_HASH_BYTES = 16  # two addresses of one hub do not meet by chance, and the log stays small


class EventTooLarge(ValueError):
    """The data of an event has too many bytes; it holds ids and numbers only."""


class Event(Struct, frozen=True):
    """One thing that was done. It holds no name and no text of anybody, since it can never be erased."""

    id: int
    at: datetime
    action: Action
    via: Way
    account_id: str | None
    key_prefix: str | None
    address_hash: str | None
    subject_type: str
    subject_id: str
    data: dict[str, Any]


COLUMNS = ", ".join(Event.__struct_fields__)


def record(db: Connection, action: Action, subject_type: str, subject_id: str, **data: Any) -> None:
    """Add one event in the name of the unit's actor. It is kept if and only if the unit is."""
    encoded = msgspec.json.encode(data, order="sorted")
    if len(encoded) > MAX_DATA_BYTES:
        raise EventTooLarge(EventTooLarge.__doc__)
    by = db.actor
    who = (by.via, by.account_id, by.key_prefix, by.address_hash)
    db.execute(
        """
        INSERT INTO events (at, action, via, account_id, key_prefix, address_hash, subject_type, subject_id, data)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [now(), action, *who, subject_type, subject_id, encoded.decode()],
    )


def list_events(db: Connection, limit: int, cursor: str | None) -> Page[Event]:
    """Events by page, newest first."""
    before, values = "TRUE", [limit + 1]
    if cursor:
        before, values = "id < ?", [*read_cursor(cursor, tuple[int]), *values]
    rows = db.execute(f"SELECT {COLUMNS} FROM events WHERE {before} ORDER BY id DESC LIMIT ?", values)
    return page(many(Event, rows), limit, lambda event: (event.id,))


def act_as(actor: Actor, work: UnitOfWork[T]) -> UnitOfWork[T]:
    """The same work, done in the name of `actor`."""

    def unit(db: Connection) -> T:
        db.actor = actor
        return work(db)

    return unit


def actor_at(via: Way, secret: bytes, address: str) -> Actor:
    """Whoever calls from this address; nobody has looked at the key yet."""
    return Actor(via, address_hash=hash_address(secret, subject_of(address)))


@lru_cache(4096)  # asked at every write
def hash_address(secret: bytes, address: str) -> str:
    """The same for the same address, and of no use without the hub's secret."""
    keyed = hmac.digest(secret, b"viva address " + address.encode(errors="replace"), hashlib.sha256)
    return keyed[:ADDRESS_HASH_BYTES].hex()
