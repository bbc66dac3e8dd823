"""The chain of events: each link carries the hash of the one before it. The head can be kept elsewhere, and is signed.

A hash is over twelve lines: the format, the hash before, and the ten columns of the event. On PostgreSQL, the schema links
events at the commit, because transactions end in another order than they begin."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from viva.kit.canonical_json import canonical_json
from viva.kit.clock import format_time, now
from viva.kit.db import Connection
from viva.kit.hashing import NO_HASH, hash_lines
from viva.kit.rows import find, many, moment
from viva.kit.signing import PrivateKey, is_signature

EVENT_FORMAT = "viva-event-1"
LOG_HEAD_FORMAT = "viva-log-head-1"
CLOCK_DIFFERENCE = timedelta(hours=1)  # at most, between the clocks of a hub's processes
# In this order. Only `subject_id` could contain a line break, since `data` is JSON.
LINKED_COLUMNS = (
    "id",
    "at",
    "action",
    "via",
    "account_id",
    "key_prefix",
    "address_hash",
    "subject_type",
    "subject_id",
    "data",
)


class ChainLink(Struct, frozen=True):
    position: int
    hash: str


class SignedHead(Struct, frozen=True):
    """The last link of the log at a moment. The signature is over the canonical JSON of `head_statement`."""

    position: int
    hash: str
    at: datetime
    key_id: str
    signature: str


def hash_event(previous: str, event: Sequence[Any]) -> str:
    """The hash of the event with these LINKED_COLUMNS."""
    event_id, at, *others = event
    lines = ("" if value is None else str(value) for value in others)
    return hash_lines(EVENT_FORMAT, previous, str(event_id), format_time(moment(at)), *lines)


def link(db: Connection, event: Sequence[Any]) -> None:
    """Add the event, with these LINKED_COLUMNS, to the chain."""
    head = read_head(db)
    db.execute(
        "INSERT INTO event_chain (position, event_id, hash) VALUES (?, ?, ?)",
        [head.position + 1, event[0], hash_event(head.hash, event)],
    )


def read_head(db: Connection) -> ChainLink:
    last = find(ChainLink, db.execute("SELECT position, hash FROM event_chain ORDER BY position DESC LIMIT 1"))
    return last or ChainLink(0, NO_HASH)


def head_statement(position: int, hash_: str, at: datetime) -> bytes:
    """What is signed of a head."""
    facts = {"format": LOG_HEAD_FORMAT, "position": position, "hash": hash_, "at": format_time(at)}
    return canonical_json(facts).encode()


def sign_head(db: Connection, key: PrivateKey) -> SignedHead:
    head, at = read_head(db), now()
    signature = key.sign(head_statement(head.position, head.hash, at)).hex()
    return SignedHead(head.position, head.hash, at, key.id, signature)


def is_genuine(head: SignedHead) -> bool:
    statement = head_statement(head.position, head.hash, head.at)
    return is_signature(head.key_id, bytes.fromhex(head.signature), statement)


CHECKPOINTS = "SELECT position, hash, made_at AS at, key_id, signature FROM event_checkpoints"


def add_checkpoint(db: Connection, key: PrivateKey) -> bool:
    """Store a signed head, which will stand for the events before it. False if today has one: the schema admits no second."""
    head = sign_head(db, key)
    added = db.execute(
        """
        INSERT INTO event_checkpoints (position, hash, made_at, signature, key_id) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING
        """,
        [head.position, head.hash, head.at, head.signature, head.key_id],
    )
    return added.rowcount == 1


def list_checkpoints(db: Connection) -> list[SignedHead]:
    return many(SignedHead, db.execute(f"{CHECKPOINTS} ORDER BY position"))


def find_checkpoint(db: Connection, until: datetime) -> SignedHead | None:
    """The newest checkpoint that was made by then."""
    return find(SignedHead, db.execute(f"{CHECKPOINTS} WHERE made_at <= ? ORDER BY position DESC LIMIT 1", [until]))


def find_start(db: Connection) -> datetime | None:
    """The moment before which events may have been deleted; None if the log is whole.

    Of the last deleted event, the link is still there. The next checkpoint is younger than all that were deleted."""
    head = find(
        SignedHead,
        db.execute(
            f"""
            {CHECKPOINTS} WHERE position > (SELECT min(position) FROM event_chain) AND NOT EXISTS
                (SELECT 1 FROM events WHERE id = (SELECT event_id FROM event_chain ORDER BY position LIMIT 1))
            ORDER BY position LIMIT 1
            """
        ),
    )
    return head.at + CLOCK_DIFFERENCE if head and is_genuine(head) else None


def find_unlike(db: Connection, event_ids: Sequence[int]) -> list[int]:
    """Those of the events that are not as they were linked. On PostgreSQL, one of this transaction has no link yet."""
    if not event_ids:
        return []
    columns, places = ", ".join(f"e.{name}" for name in LINKED_COLUMNS), ", ".join("?" for _ in event_ids)
    is_newest = "coalesce(e.id > (SELECT max(event_id) FROM event_chain), TRUE)"
    rows = db.execute(
        f"""
        SELECT c.hash, coalesce(p.hash, '{NO_HASH}'), {is_newest}, {columns}
        FROM events e LEFT JOIN event_chain c ON c.event_id = e.id
            LEFT JOIN event_chain p ON p.position = c.position - 1
        WHERE e.id IN ({places})
        """,
        list(event_ids),
    ).fetchall()
    return [
        event[0]
        for hash_, previous, is_newest, *event in rows
        if hash_ != hash_event(previous, event) and not (hash_ is None and is_newest)
    ]
