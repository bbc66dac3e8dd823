"""A notice, and the ways by which it reaches its account: page, e-mail and webhook."""

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

EmailStatus = Literal["waiting", "sent", "kept", "failed"]
DeliveryStatus = Literal["waiting", "delivered", "failed"]

MAX_SUBJECT_CHARACTERS = 200
MAX_TEXT_CHARACTERS = 4_000  # a notice points to a page; the page has the rest
MAX_RECIPIENTS = 100  # of one notice; the caller names people who have to do with one thing


class NoticeContent(Struct, frozen=True):
    """What happened, in words and as data. `event` is a name given by the caller; `link` is a path of this hub."""

    event: str
    subject: str
    text: str
    link: str | None
    data: dict[str, Any]


class Notice(Struct, frozen=True):
    """A notice on the pages of one account."""

    id: str
    account_id: str
    event: str
    subject: str
    text: str
    link: str | None
    data: dict[str, Any]
    created_at: datetime
    read_at: datetime | None


class Email(Struct, frozen=True):
    """An e-mail: `waiting`, then `sent` by a mail server, `kept` in the outbox, or `failed`."""

    id: str  # also its Message-ID
    account_id: str | None
    address: str
    event: str
    subject: str
    text: str
    link: str | None
    status: EmailStatus
    tries: int
    reason: str | None
    created_at: datetime
    ended_at: datetime | None


class Webhook(Struct, frozen=True):
    """An address of an account's own, to which the hub posts events."""

    id: str
    account_id: str
    url: str
    events: list[str]
    is_active: bool
    failures: int  # deliveries that failed in a row
    created_at: datetime


class Delivery(Struct, frozen=True):
    """One event for one webhook. Every try sends the same id and the same content."""

    id: str
    webhook_id: str
    event: str
    content: dict[str, Any]
    status: DeliveryStatus
    tries: int
    response_status: int | None
    reason: str | None
    created_at: datetime
    ended_at: datetime | None
