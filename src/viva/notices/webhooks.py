"""Webhooks in the database: where an account gets which events."""

from collections.abc import Sequence

import msgspec

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.rows import find, many, one
from viva.notices.model import Webhook

WEBHOOK_COLUMNS = ", ".join(Webhook.__struct_fields__)
MAX_WEBHOOKS_PER_ACCOUNT = 5  # the schema has as many slots
ALL_EVENTS = "*"


class NoSuchWebhook(NotFound):
    """You have no webhook with this id."""


class TooManyWebhooks(Conflict):
    """An account can have 5 webhooks. Delete one before you add another."""


def add(db: Connection, account_id: str, url: str, events: Sequence[str]) -> Webhook:
    """Add a webhook in the first free slot. The schema decides between two requests for the same slot."""
    webhook = Webhook(new_id("hook"), account_id, url, list(events), True, 0, now())
    for slot in range(1, MAX_WEBHOOKS_PER_ACCOUNT + 1):
        # The lock is that of notices.store.add: no webhook may follow the deletion of its account.
        added = db.execute(
            f"""
            INSERT INTO webhooks (id, account_id, slot, url, events, is_active, failures, created_at)
            SELECT ?, agents.id, ?, ?, ?, TRUE, 0, ? FROM agents
            WHERE agents.id = ? AND agents.deleted_at IS NULL {db.share_rows_of("agents")}
            ON CONFLICT (account_id, slot) DO NOTHING
            """,
            [webhook.id, slot, url, msgspec.json.encode(events).decode(), webhook.created_at, account_id],
        )
        if added.rowcount == 1:
            return webhook
    raise TooManyWebhooks()


def get(db: Connection, account_id: str, webhook_id: str) -> Webhook:
    """The webhook, if it belongs to the account."""
    sql = f"SELECT {WEBHOOK_COLUMNS} FROM webhooks WHERE id = ? AND account_id = ?"
    return one(Webhook, db.execute(sql, [webhook_id, account_id]), NoSuchWebhook)


def find_webhook(db: Connection, webhook_id: str) -> Webhook | None:
    return find(Webhook, db.execute(f"SELECT {WEBHOOK_COLUMNS} FROM webhooks WHERE id = ?", [webhook_id]))


def list_of_accounts(db: Connection, account_ids: Sequence[str]) -> list[Webhook]:
    """The webhooks of these accounts, oldest first."""
    if not account_ids:
        return []
    places = ", ".join("?" for _ in account_ids)
    sql = f"SELECT {WEBHOOK_COLUMNS} FROM webhooks WHERE account_id IN ({places}) ORDER BY id"
    return many(Webhook, db.execute(sql, account_ids))


def drop(db: Connection, account_id: str, webhook_id: str) -> None:
    """Delete the webhook with its deliveries."""
    if db.execute("DELETE FROM webhooks WHERE id = ? AND account_id = ?", [webhook_id, account_id]).rowcount == 0:
        raise NoSuchWebhook()


def note_success(db: Connection, webhook_id: str) -> None:
    """Forget the failures. A webhook that was switched off works again."""
    db.execute(
        "UPDATE webhooks SET failures = 0, is_active = TRUE WHERE id = ? AND (failures > 0 OR NOT is_active)",
        [webhook_id],
    )


def note_failure(db: Connection, webhook_id: str, max_failures: int) -> Webhook | None:
    """Count a failed delivery. The webhook is returned if this failure switches it off."""
    sql = f"UPDATE webhooks SET failures = failures + 1 WHERE id = ? RETURNING {WEBHOOK_COLUMNS}"
    webhook = find(Webhook, db.execute(sql, [webhook_id]))
    if webhook is None or not webhook.is_active or webhook.failures < max_failures:
        return None
    db.execute("UPDATE webhooks SET is_active = FALSE WHERE id = ?", [webhook_id])
    return webhook
