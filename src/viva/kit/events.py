"""The event log: who did what, when, with which key and from which address. Rows are never changed."""

import hashlib
import hmac
from collections.abc import Collection
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec import Struct

from viva.kit.actors import Actor, Way
from viva.kit.clock import now
from viva.kit.db import Connection, T, UnitOfWork
from viva.kit.event_chain import link
from viva.kit.limits import subject_of
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many

Action = Literal[
    "agent.registered",
    "agent.renamed",
    "agent.deleted",
    "agent.suspended",
    "agent.restored",
    "agent.verified",
    "text.hidden",
    "text.shown",
    "text.erased",
    "report.made",
    "report.answered",
    "invitation.made",
    "invitation.revoked",
    "evaluation.closed",
    "evaluation.reopened",
    "key.made",
    "key.revoked",
    "key.rotated",
    "key.reset",
    "maintainer.made",
    "maintainer.dismissed",
    "proctor.appointed",
    "proctor.dismissed",
    "owner.confirmed",
    "address.confirmed",
    "webhook.added",
    "webhook.deleted",
    "claim.opened",
    "claim.released",
    "claim.lapsed",
    "sheet.taken",
    "sheet.released",
    "marks.given",
    "attempt.ended",
    "result.kept",
    "result.reread",
    "reading.opened",
    "reading.taken",
    "reading.released",
    "reading.given",
    "reading.ended",
    "appeal.made",
    "result.voided",
    "evaluation.synced",
    "signing_key.made",
    "signing_key.rotated",
    "event.kept",
    "contribution.created",
    "contribution.deleted",
    "contribution.joined",
    "contribution.submitted",
    "contribution.opened",
    "contribution.changes_requested",
    "contribution.rejected",
    "contribution.gate_restarted",
    "contribution.gate_checked",
    "contribution.approved",
    "contribution.merged",
    "traces.uploaded",
    "trace.shared",
    "trace.unshared",
    "trace.deleted",
]
ProvenSubject = Literal["message", "name", "result", "signing_key"]
# Whose events are compared with what is signed. The schema has an index of these.
PROVEN_SUBJECTS = "subject_type IN ('message', 'name', 'result', 'signing_key')"
# What an account may do follows from the last event about each of its rights.
RIGHT_OF_ACTION: dict[str, str] = {
    "maintainer.made": "maintainer",
    "maintainer.dismissed": "maintainer",
    "proctor.appointed": "proctor",
    "proctor.dismissed": "proctor",
    "agent.verified": "owner",
    "owner.confirmed": "owner",
}
MAX_EVENT_DATA_BYTES = 2_000  # enough for ids and numbers; the schema has the same limit
ADDRESS_HASH_BYTES = 16  # long enough that two addresses do not collide, short enough for a small log


class EventTooLarge(ValueError):
    """The data of an event has too many bytes; it may hold only ids and numbers."""


class Event(Struct, frozen=True):
    """One action. It holds no names and no texts of people, since it can never be erased.

    An event that was deleted may stand again as `event.kept`, with what it said in its data."""

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

    @property
    def recorded_action(self) -> str:
        return str(self.data.get("recorded", self.action))

    @property
    def recorded_id(self) -> int:
        return int(self.data.get("event_id", self.id))

    @property
    def right(self) -> str | None:
        """Which right it gives or takes. Proctors have one for each evaluation, and one for the hub."""
        name = RIGHT_OF_ACTION.get(self.recorded_action)
        return f"proctor {self.data.get('evaluation_id') or ''}" if name == "proctor" else name


EVENT_COLUMNS = ", ".join(Event.__struct_fields__)


def record(db: Connection, action: Action, subject_type: str, subject_id: str, **data: Any) -> None:
    """Add one event of the unit's actor, in the transaction of the unit."""
    encoded = msgspec.json.encode(data, order="sorted")
    if len(encoded) > MAX_EVENT_DATA_BYTES:
        raise EventTooLarge(EventTooLarge.__doc__)
    actor = db.actor
    who = (actor.via, actor.account_id, actor.key_prefix, actor.address_hash)
    values = [now(), action, *who, subject_type, subject_id, encoded.decode()]
    (event_id,) = db.execute(
        """
        INSERT INTO events (at, action, via, account_id, key_prefix, address_hash, subject_type, subject_id, data)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
        """,
        values,
    ).fetchone()
    if not db.links_events:
        link(db, (event_id, *values))


def list_events(db: Connection, limit: int, cursor: str | None) -> Page[Event]:
    """Events by page, newest first."""
    before, values = "TRUE", [limit + 1]
    if cursor:
        before, values = "id < ?", [*read_cursor(cursor, tuple[int]), *values]
    rows = db.execute(f"SELECT {EVENT_COLUMNS} FROM events WHERE {before} ORDER BY id DESC LIMIT ?", values)
    return page(many(Event, rows), limit, lambda event: (event.id,))


def list_about(db: Connection, subject_type: ProvenSubject, subject_ids: Collection[str] | None = None) -> list[Event]:
    """The events of these subjects, or of all of the type, oldest first."""
    if subject_ids is not None and not subject_ids:
        return []
    places = "TRUE" if subject_ids is None else f"subject_id IN ({', '.join('?' for _ in subject_ids)})"
    rows = db.execute(
        f"SELECT {EVENT_COLUMNS} FROM events WHERE {PROVEN_SUBJECTS} AND subject_type = ? AND {places} ORDER BY id",
        [subject_type, *(subject_ids or ())],
    )
    return many(Event, rows)


def act_as(actor: Actor, work: UnitOfWork[T]) -> UnitOfWork[T]:
    """The same work with `actor` as the actor of its unit."""

    def unit(db: Connection) -> T:
        db.actor = actor
        return work(db)

    return unit


@lru_cache(4096)  # called for every write
def actor_at(via: Way, secret: bytes, address: str, may_be_suspended: bool = False) -> Actor:
    """The actor for a caller at this address, before its key is checked."""
    hashed = hash_address(secret, subject_of(address))
    return Actor(via, address_hash=hashed, may_be_suspended=may_be_suspended)


def hash_address(secret: bytes, address: str) -> str:
    """A keyed hash: equal for equal addresses, and useless without the hub's secret."""
    keyed = hmac.digest(secret, b"viva address " + address.encode(errors="replace"), hashlib.sha256)
    return keyed[:ADDRESS_HASH_BYTES].hex()
