"""How long events stay: each day has a signed checkpoint, and the events before an old one are deleted, some at a time.

The link of the last deleted event stays, because the hash of the next event follows from it."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from viva.kit import events, signing_keys
from viva.kit.clock import format_time, now
from viva.kit.db import Connection
from viva.kit.event_chain import add_checkpoint, find_checkpoint
from viva.kit.events import EVENT_COLUMNS, Event
from viva.kit.rows import many

EVENTS_DELETED_PER_SWEEP = 1_000  # keeps the locks of a sweep short


def sign_daily(db: Connection) -> int:
    """Add the checkpoint of today. Returns 0 if there is one."""
    moment = now()
    newest = find_checkpoint(db, moment)
    if newest and format_time(newest.at)[:10] == format_time(moment)[:10]:
        return 0
    return int(add_checkpoint(db, signing_keys.ensure_current(db)))


def delete_old(db: Connection, days: int) -> int:
    """Delete the oldest events before the newest checkpoint of so many days ago. Returns how many were deleted."""
    checkpoint = find_checkpoint(db, now() - timedelta(days=days))
    last = find_last(db, checkpoint.position) if checkpoint else None
    if last is None:
        return 0
    own_keys = signing_keys.list_own(db)

    # Of two sweeps at once, the second waits here and then finds nothing to delete.
    deleted = many(
        Event,
        db.execute(
            f"""
            DELETE FROM events WHERE id IN (SELECT event_id FROM event_chain WHERE position <= ?)
            RETURNING {EVENT_COLUMNS}
            """,
            [last],
        ),
    )
    record_needed(db, deleted, own_keys)
    db.execute("DELETE FROM event_chain WHERE position < ?", [last])
    return len(deleted)


def find_last(db: Connection, before: int) -> int | None:
    """The position of the last event to delete now. The event of the checkpoint stays, so that the log is never empty."""
    last: int | None
    (last,) = db.execute(
        """
        SELECT max(position) FROM (SELECT c.position FROM event_chain c JOIN events e ON e.id = c.event_id
            WHERE c.position < ? ORDER BY c.position LIMIT ?) oldest
        """,
        [before, EVENTS_DELETED_PER_SWEEP],
    ).fetchone()
    return last


def record_needed(db: Connection, deleted: Sequence[Event], own_keys: Collection[str]) -> None:
    """Record again what texts, rights and signatures are compared with for ever: the last event about each."""
    newest = {
        (event.subject_type, event.subject_id, event.right): event
        for event in sorted(deleted, key=lambda event: event.recorded_id)
    }
    for (subject_type, subject_id, right), event in newest.items():
        match subject_type:
            case "signing_key" if subject_id in own_keys:
                signing_keys.record_again(db, subject_id)
            case "message" | "name" if not events.list_about(db, subject_type, [subject_id]):
                events.record(db, "event.kept", subject_type, subject_id, **describe(event))
            case "feedback" | "description":
                events.record(db, "event.kept", subject_type, subject_id, **describe(event))
            case "agent" if right:
                events.record(db, "event.kept", subject_type, subject_id, **describe(event))


def describe(event: Event) -> dict[str, Any]:
    """What an event said, also if it was recorded again before."""
    if event.action == "event.kept":
        return event.data
    said = {"recorded": event.action, "recorded_at": format_time(event.at), "recorded_by": event.account_id}
    return {**event.data, "event_id": event.id, **said}
