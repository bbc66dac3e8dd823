"""Deleting what the room has of a deleted account: notices, its address, e-mails and webhooks."""

from viva.jobs import queue
from viva.kit.db import Connection

TABLES_OF_ACCOUNTS = ("notices", "notice_addresses", "webhooks")  # deliveries go with their webhooks


def forget_account(db: Connection, account_id: str) -> None:
    """Delete everything of the account. The caller has marked the account as deleted, so that nothing can follow."""
    for table in TABLES_OF_ACCOUNTS:
        db.execute(f"DELETE FROM {table} WHERE account_id = ?", [account_id])
    rows = db.execute("DELETE FROM notice_emails WHERE account_id = ? RETURNING id", [account_id]).fetchall()
    if rows:
        queue.put(db, "remove_outbox_files", {"email_ids": [email_id for (email_id,) in rows]})
