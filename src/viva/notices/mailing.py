"""Mailing: the background work that sends e-mails, or puts them into the outbox."""

from collections.abc import Callable
from datetime import timedelta
from email.utils import parseaddr
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from viva.jobs.model import Work
from viva.kit.db import Connection
from viva.notices import emails, outbox
from viva.notices.email_text import make_message
from viva.notices.model import Email, EmailStatus
from viva.notices.settings import NoticeSettings
from viva.notices.smtp import NotSent

# Servers that know nobody yet refuse a first try for minutes; a server that is down is back within hours.
EMAIL_PAUSES = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
)
MAX_REASON_CHARACTERS_OF_SERVER = 300


# The link that an e-mail is sent with, made from the stored one.
MakeLink = Callable[[Connection, Email], str | None]


class EmailTry(NamedTuple):
    """How a try ended. With a reason it failed, for good if the status is `failed`."""

    status: EmailStatus
    reason: str | None = None


def plain_link(db: Connection, email: Email) -> str | None:
    return email.link


def work(settings: NoticeSettings, make_link: MakeLink = plain_link) -> Work:
    """The background work "send_email". `make_link` may add a secret to a link, which no table and no file may hold.

    So the outbox has links without it."""
    return Work(partial(read, make_link if settings.smtp else plain_link), partial(think, settings), keep)


def removal_work(settings: NoticeSettings) -> Work:
    """The background work "remove_outbox_files"."""
    return Work(
        lambda db, data: data["email_ids"],
        lambda email_ids: outbox.remove_files(settings.outbox, email_ids),
        lambda db, email_ids, nothing, is_last: None,
    )


def read(make_link: MakeLink, db: Connection, data: dict[str, Any]) -> Email | None:
    """The e-mail with the link that it is sent with; None if it was sent already, or deleted with its account."""
    email = emails.find_waiting(db, data["email_id"])
    return email and replace(email, link=make_link(db, email))


def think(settings: NoticeSettings, email: Email | None) -> EmailTry | None:
    """Send the e-mail. If the worker dies before this is noted, it is sent again with the same Message-ID."""
    if email is None:
        return None
    message = make_message(email, settings.mail_from, settings.base_url)
    if settings.smtp is None:
        outbox.write_file(settings.outbox, email.id, message)
        return EmailTry("kept")
    try:
        settings.smtp.send(message, parseaddr(settings.mail_from)[1], email.address)
    except NotSent as error:
        return EmailTry("failed" if error.is_final else "waiting", clean_reason(str(error)))
    return EmailTry("sent")


def keep(db: Connection, email: Email | None, tried: EmailTry | None, is_last: bool) -> None:
    """Note how the try ended. A job of its own makes the next try, because its pause is longer than the queue's."""
    if email is None or tried is None:
        return
    if tried.status != "waiting":
        emails.end(db, email, tried.status, tried.reason)
    elif email.tries < len(EMAIL_PAUSES):
        emails.retry_later(db, email, tried.reason or "", EMAIL_PAUSES[email.tries])
    else:
        emails.end(db, email, "failed", tried.reason)


def clean_reason(reason: str) -> str:
    """What the server said, as one line that both databases accept."""
    printable = "".join(letter if letter.isprintable() else " " for letter in reason)
    return " ".join(printable.split())[:MAX_REASON_CHARACTERS_OF_SERVER]
