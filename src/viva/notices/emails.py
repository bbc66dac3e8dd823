"""E-mails in the database: those that wait, those that were sent, and those of the outbox."""

from datetime import timedelta

from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many
from viva.notices.model import Email, EmailStatus, NoticeContent

EMAIL_COLUMNS = ", ".join(Email.__struct_fields__)
EMAIL_LIFETIME = timedelta(days=30)  # also of those that never ended, whose job was lost
EMAILS_DELETED_PER_SWEEP = 1_000  # keeps the transaction short


def add(db: Connection, account_id: str | None, address: str, content: NoticeContent) -> str:
    """Add an e-mail, and the job that sends it."""
    email_id = new_id("email")
    db.execute(
        """
        INSERT INTO notice_emails (id, account_id, address, event, subject, text, link, status, tries, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?)
        """,
        [email_id, account_id, address, content.event, content.subject, content.text, content.link, now()],
    )
    queue.put(db, "send_email", {"email_id": email_id})
    return email_id


def find_waiting(db: Connection, email_id: str) -> Email | None:
    sql = f"SELECT {EMAIL_COLUMNS} FROM notice_emails WHERE id = ? AND status = 'waiting'"
    return find(Email, db.execute(sql, [email_id]))


def end(db: Connection, email: Email, status: EmailStatus, reason: str | None) -> None:
    """Note that the e-mail was sent, kept in the outbox, or could not be sent."""
    db.execute(
        "UPDATE notice_emails SET status = ?, tries = tries + 1, reason = ?, ended_at = ? WHERE id = ?",
        [status, reason, now(), email.id],
    )


def retry_later(db: Connection, email: Email, reason: str, pause: timedelta) -> None:
    db.execute("UPDATE notice_emails SET tries = tries + 1, reason = ? WHERE id = ?", [reason, email.id])
    queue.put(db, "send_email", {"email_id": email.id}, pause)


def list_emails(db: Connection, limit: int, cursor: str | None) -> Page[Email]:
    """E-mails, newest first."""
    before = "TRUE"
    values: dict[str, object] = {"limit": limit + 1}
    if cursor:
        before, (values["after"],) = "id < :after", read_cursor(cursor, tuple[str])
    rows = db.execute(f"SELECT {EMAIL_COLUMNS} FROM notice_emails WHERE {before} ORDER BY id DESC LIMIT :limit", values)
    return page(many(Email, rows), limit, lambda email: (email.id,))


def forget_old(db: Connection) -> int:
    """Delete the e-mails of a month ago. Ids sort by time, so the first ones are the oldest."""
    return db.execute(
        """
        DELETE FROM notice_emails WHERE id IN
            (SELECT id FROM (SELECT id, created_at FROM notice_emails ORDER BY id LIMIT ?) AS oldest WHERE created_at < ?)
        """,
        [EMAILS_DELETED_PER_SWEEP, now() - EMAIL_LIFETIME],
    ).rowcount
