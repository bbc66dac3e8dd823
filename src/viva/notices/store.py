"""Notices of accounts in the database."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many
from viva.notices.model import Notice, NoticeContent

NOTICE_COLUMNS = ", ".join(Notice.__struct_fields__)
MAX_NOTICES_PER_ACCOUNT = 500  # the sweep deletes the oldest beyond this
MAX_UNREAD_COUNTED = 100  # a page shows "99+" for so many
TRIMMED_MILLISECONDS = 120_000  # the sweep looks at accounts with a notice in this time; it runs every 15 seconds
ACCOUNTS_TRIMMED_PER_SWEEP = 100  # keeps the transaction short


class AddedNotice(NamedTuple):
    account_id: str
    has_routes: bool  # the account has an e-mail address or a webhook


def add(db: Connection, account_ids: Sequence[str], content: NoticeContent) -> list[AddedNotice]:
    """Add the notice for each account that is not deleted, in one statement.

    If an account is being deleted, this waits for the deletion, or the deletion waits for this."""
    if not account_ids:
        return []
    places = ", ".join("(?, ?)" for _ in account_ids)
    ids = [value for account_id in account_ids for value in (new_id("notice"), account_id)]
    rows = db.execute(
        f"""
        INSERT INTO notices (id, account_id, event, subject, text, link, data, created_at)
        SELECT given.column1, agents.id, ?, ?, ?, ?, ?, ?
        FROM (VALUES {places}) AS given JOIN agents ON agents.id = given.column2
        WHERE agents.deleted_at IS NULL {db.share_rows_of("agents")}
        RETURNING account_id,
            EXISTS (SELECT 1 FROM notice_addresses a WHERE a.account_id = notices.account_id)
            OR EXISTS (SELECT 1 FROM webhooks w WHERE w.account_id = notices.account_id)
        """,
        [
            *(content.event, content.subject, content.text, content.link),
            msgspec.json.encode(content.data).decode(),
            now(),
            *ids,
        ],
    ).fetchall()
    return [AddedNotice(account_id, bool(has_routes)) for account_id, has_routes in rows]


def list_notices(
    db: Connection, account_id: str, is_unread: bool | None, limit: int, cursor: str | None
) -> Page[Notice]:
    """The notices of the account, newest first; all, or only the unread or the read ones."""
    conditions = ["account_id = :account_id"]
    values: dict[str, object] = {"account_id": account_id, "limit": limit + 1}
    if is_unread is not None:
        conditions.append("read_at IS NULL" if is_unread else "read_at IS NOT NULL")
    if cursor:
        (values["after"],) = read_cursor(cursor, tuple[str])
        conditions.append("id < :after")
    rows = db.execute(
        f"SELECT {NOTICE_COLUMNS} FROM notices WHERE {' AND '.join(conditions)} ORDER BY id DESC LIMIT :limit", values
    )
    return page(many(Notice, rows), limit, lambda notice: (notice.id,))


def count_unread(db: Connection, account_id: str) -> int:
    """The number of unread notices, counted up to MAX_UNREAD_COUNTED."""
    count: int = db.execute(
        "SELECT count(*) FROM (SELECT 1 FROM notices WHERE account_id = ? AND read_at IS NULL LIMIT ?) AS found",
        [account_id, MAX_UNREAD_COUNTED],
    ).fetchone()[0]
    return count


def mark_read(db: Connection, account_id: str, ids: Sequence[str]) -> int:
    """Mark these notices as read, if they belong to the account. Returns how many were unread."""
    if not ids:
        return 0
    places = ", ".join("?" for _ in ids)
    return db.execute(
        f"UPDATE notices SET read_at = ? WHERE account_id = ? AND read_at IS NULL AND id IN ({places})",
        [now(), account_id, *ids],
    ).rowcount


def mark_read_until(db: Connection, account_id: str, last_id: str) -> int:
    """Mark this notice and all older ones as read. A newer one, which the reader has not seen, stays unread."""
    return db.execute(
        "UPDATE notices SET read_at = ? WHERE account_id = ? AND read_at IS NULL AND id <= ?",
        [now(), account_id, last_id],
    ).rowcount


def forget_oldest(db: Connection) -> int:
    """Delete the oldest notices of accounts that have too many and got one just now. Ids sort by time."""
    since = f"notice_{time.time_ns() // 1_000_000 - TRIMMED_MILLISECONDS:012x}"
    rows = db.execute(
        """
        SELECT account_id FROM notices WHERE account_id IN (SELECT account_id FROM notices WHERE id > ?)
        GROUP BY account_id HAVING count(*) > ? LIMIT ?
        """,
        [since, MAX_NOTICES_PER_ACCOUNT, ACCOUNTS_TRIMMED_PER_SWEEP],
    )
    return sum(forget_oldest_of(db, account_id) for (account_id,) in rows.fetchall())


def forget_oldest_of(db: Connection, account_id: str) -> int:
    return db.execute(
        """
        DELETE FROM notices WHERE account_id = ? AND id < (
            SELECT id FROM notices WHERE account_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)
        """,
        [account_id, account_id, MAX_NOTICES_PER_ACCOUNT - 1],
    ).rowcount
