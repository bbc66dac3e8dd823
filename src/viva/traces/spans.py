"""Spans of OpenTelemetry and their events in the database, as they came. All with one trace id are a group."""

from datetime import datetime, timedelta

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound, TooLarge
from viva.kit.ids import new_id
from viva.kit.rows import find, many
from viva.traces import quota
from viva.traces.quota import TraceQuota

GROUPS_DELETED_PER_SWEEP = 100
GROUP_BYTES = 500  # that a group and its job take beside its spans; so the number of groups is bounded too
MAX_SPANS_BYTES = 32 * 1024 * 1024  # of one trace, compressed; a trace of that size is too large to be read
UNREAD_GROUP_LIFETIME = timedelta(days=1)  # spans of other things than agents never become a trace


class TooManySpans(TooLarge):
    """A trace has more spans than can be read as one; end it and begin another."""


class NoSuchSpans(NotFound):
    """This account has sent no spans of a trace with this id, or they were deleted."""


class SpanGroup(Struct, frozen=True):
    """The spans of one trace id. `waiting_since` is None if all of them were read."""

    owner_id: str
    span_key: str
    dataset: str | None
    changed_at: datetime
    stored_bytes: int
    waiting_since: datetime | None
    reason: str | None


GROUP_COLUMNS = ", ".join(SpanGroup.__struct_fields__)
OF_KEY = "owner_id = :owner AND span_key = :key"


def add(db: Connection, owner_id: str, span_key: str, dataset: str | None, content: bytes, limits: TraceQuota) -> bool:
    """Add spans or events to their group. True if nothing of the group waited to be read before.

    The dataset is the first that a request named, because each kind has an exporter of its own."""
    values = {"owner": owner_id, "key": span_key, "dataset": dataset, "bytes": len(content), "at": now()}
    values |= {"group_bytes": GROUP_BYTES, "most": MAX_SPANS_BYTES}
    quota.take_room(db, owner_id, 0, len(content), limits)
    begun = db.execute(
        """
        INSERT INTO trace_span_groups (owner_id, span_key, dataset, changed_at, stored_bytes)
        VALUES (:owner, :key, :dataset, :at, :group_bytes) ON CONFLICT (owner_id, span_key) DO NOTHING
        """,
        values,
    )
    if begun.rowcount:
        quota.take_room(db, owner_id, 0, GROUP_BYTES, limits)
    added = db.execute(
        f"""
        UPDATE trace_span_groups
        SET changed_at = :at, stored_bytes = stored_bytes + :bytes, dataset = coalesce(dataset, :dataset)
        WHERE {OF_KEY} AND stored_bytes + :bytes <= :most
        """,
        values,
    )
    if not added.rowcount:
        raise TooManySpans()
    db.execute(
        "INSERT INTO trace_spans (id, owner_id, span_key, content) VALUES (?, ?, ?, ?)",
        [new_id("spans"), owner_id, span_key, content],
    )
    first = db.execute(
        f"UPDATE trace_span_groups SET waiting_since = :at WHERE {OF_KEY} AND waiting_since IS NULL", values
    )
    return first.rowcount == 1


def find_group(db: Connection, owner_id: str, span_key: str) -> SpanGroup | None:
    sql = f"SELECT {GROUP_COLUMNS} FROM trace_span_groups WHERE {OF_KEY}"
    return find(SpanGroup, db.execute(sql, {"owner": owner_id, "key": span_key}))


def get_group(db: Connection, owner_id: str, span_key: str) -> SpanGroup:
    group = find_group(db, owner_id, span_key)
    if group is None:
        raise NoSuchSpans()
    return group


def hold_group(db: Connection, owner_id: str, span_key: str) -> SpanGroup | None:
    """The group, locked until the commit, so that no spans are added meanwhile."""
    sql = f"UPDATE trace_span_groups SET changed_at = changed_at WHERE {OF_KEY} RETURNING {GROUP_COLUMNS}"
    return find(SpanGroup, db.execute(sql, {"owner": owner_id, "key": span_key}))


def list_contents(db: Connection, owner_id: str, span_key: str) -> list[bytes]:
    """The spans of a group, one item for each request, in order."""
    sql = f"SELECT content FROM trace_spans WHERE {OF_KEY} ORDER BY id"
    return [bytes(row[0]) for row in db.execute(sql, {"owner": owner_id, "key": span_key}).fetchall()]


def note_read(db: Connection, group: SpanGroup, reason: str | None, waiting_since: datetime | None = None) -> None:
    """Note that the spans were read, or why they could not be read, and since when others wait."""
    db.execute(
        f"UPDATE trace_span_groups SET waiting_since = :waiting_since, reason = :reason WHERE {OF_KEY}",
        {"owner": group.owner_id, "key": group.span_key, "reason": reason, "waiting_since": waiting_since},
    )


def forget_group(db: Connection, owner_id: str, span_key: str) -> None:
    row = db.execute(
        f"DELETE FROM trace_span_groups WHERE {OF_KEY} RETURNING stored_bytes", {"owner": owner_id, "key": span_key}
    ).fetchone()
    if row is not None:
        quota.give_back(db, owner_id, 0, row[0])


def forget_account(db: Connection, owner_id: str) -> None:
    db.execute("DELETE FROM trace_span_groups WHERE owner_id = ?", [owner_id])


def forget_unread(db: Connection) -> int:
    """Delete groups that could not be read and to which nothing was added for a day. Returns how many."""
    rows = db.execute(
        f"""
        SELECT {GROUP_COLUMNS} FROM trace_span_groups g
        WHERE changed_at < ? AND reason IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.owner_id = g.owner_id AND t.span_key = g.span_key)
        ORDER BY changed_at LIMIT ?
        """,
        [now() - UNREAD_GROUP_LIFETIME, GROUPS_DELETED_PER_SWEEP],
    )
    groups = many(SpanGroup, rows)
    for group in groups:
        forget_group(db, group.owner_id, group.span_key)
    return len(groups)
