"""Deliveries to webhooks in the database, which are also the log that the owner of a webhook reads."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.ids import new_id
from viva.kit.limits import grant_today
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many
from viva.notices import webhooks
from viva.notices.model import Delivery, DeliveryStatus, NoticeContent
from viva.notices.webhooks import ALL_EVENTS

DELIVERY_COLUMNS = ", ".join(Delivery.__struct_fields__)
MAX_DELIVERIES_PER_DAY = 200  # of one webhook; a slow one occupies a worker for seconds at each try
MAX_DELIVERIES_KEPT = 100  # of one webhook, besides those that wait
DELIVERY_LIFETIME = timedelta(days=2)  # longer than all tries; one that still waits has lost its job


def add_for_accounts(db: Connection, account_ids: Sequence[str], content: NoticeContent) -> None:
    """Add a delivery for each active webhook of these accounts that wants the event."""
    for webhook in webhooks.list_of_accounts(db, account_ids):
        if webhook.is_active and (content.event in webhook.events or ALL_EVENTS in webhook.events):
            add(db, webhook.id, content)


def add(db: Connection, webhook_id: str, content: NoticeContent) -> str | None:
    """Add a delivery and its job, unless the webhook has had as many today as it may get."""
    if not grant_today(db, f"webhook:{webhook_id}", MAX_DELIVERIES_PER_DAY):
        return None
    delivery_id = new_id("delivery")
    db.execute(
        """
        INSERT INTO webhook_deliveries (id, webhook_id, event, content, status, tries, created_at)
        VALUES (?, ?, ?, ?, 'waiting', 0, ?)
        """,
        [delivery_id, webhook_id, content.event, msgspec.json.encode(content).decode(), now()],
    )
    queue.put(db, "deliver_webhook", {"delivery_id": delivery_id})
    return delivery_id


def find_waiting(db: Connection, delivery_id: str) -> Delivery | None:
    sql = f"SELECT {DELIVERY_COLUMNS} FROM webhook_deliveries WHERE id = ? AND status = 'waiting'"
    return find(Delivery, db.execute(sql, [delivery_id]))


def end(
    db: Connection, delivery: Delivery, status: DeliveryStatus, response_status: int | None, reason: str | None
) -> None:
    """Note how the delivery ended, and delete the oldest ones of its webhook."""
    db.execute(
        """
        UPDATE webhook_deliveries SET status = ?, tries = tries + 1, response_status = ?, reason = ?, ended_at = ?
        WHERE id = ?
        """,
        [status, response_status, reason, now(), delivery.id],
    )
    db.execute(
        """
        DELETE FROM webhook_deliveries WHERE webhook_id = :webhook_id AND (
            (status = 'waiting' AND created_at < :lost_before) OR
            (status <> 'waiting' AND id < (
                SELECT id FROM webhook_deliveries WHERE webhook_id = :webhook_id AND status <> 'waiting'
                ORDER BY id DESC LIMIT 1 OFFSET :kept)))
        """,
        {
            "webhook_id": delivery.webhook_id,
            "lost_before": now() - DELIVERY_LIFETIME,
            "kept": MAX_DELIVERIES_KEPT - 1,
        },
    )


def retry_later(db: Connection, delivery: Delivery, response_status: int | None, reason: str, pause: timedelta) -> None:
    db.execute(
        "UPDATE webhook_deliveries SET tries = tries + 1, response_status = ?, reason = ? WHERE id = ?",
        [response_status, reason, delivery.id],
    )
    queue.put(db, "deliver_webhook", {"delivery_id": delivery.id}, pause)


def list_deliveries(db: Connection, webhook_id: str, limit: int, cursor: str | None) -> Page[Delivery]:
    """The deliveries of a webhook, newest first."""
    conditions, values = ["webhook_id = ?"], [webhook_id]
    if cursor:
        conditions.append("id < ?")
        values += read_cursor(cursor, tuple[str])
    rows = db.execute(
        f"SELECT {DELIVERY_COLUMNS} FROM webhook_deliveries WHERE {' AND '.join(conditions)} ORDER BY id DESC LIMIT ?",
        [*values, limit + 1],
    )
    return page(many(Delivery, rows), limit, lambda delivery: (delivery.id,))
