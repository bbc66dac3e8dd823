"""Routes of the caller's notices, and of the address to which they are e-mailed."""

from datetime import datetime
from typing import Annotated, Any

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import delete, get, post
from viva.context import HubContext
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS, BadCursor
from viva.notices import addresses, confirming, store
from viva.notices.addresses import MAX_EMAIL_ADDRESS_CHARACTERS, BadEmailAddress
from viva.notices.confirming import TooManyConfirmations
from viva.notices.model import Notice

NoticeId = Annotated[str, Meta(max_length=100)]


class NoticeView(Struct):
    """A notice. `link` is a path of this hub; `data` has the ids of what it is about."""

    id: str
    event: str
    subject: str
    text: str
    link: str | None
    data: dict[str, Any]
    created_at: datetime
    read_at: datetime | None


class NoticesPage(Struct):
    """`unread` counts up to 100."""

    notices: list[NoticeView]
    unread: int
    next_cursor: str | None


class ReadBody(Struct, forbid_unknown_fields=True):
    """The ids of notices, or in `until` the newest of those that are read."""

    ids: Annotated[list[NoticeId], Meta(max_length=MAX_PAGE_ITEMS)] = []
    until: NoticeId | None = None


class UnreadCount(Struct):
    unread: int


class EmailBody(Struct, forbid_unknown_fields=True):
    email: Annotated[str, Meta(min_length=3, max_length=MAX_EMAIL_ADDRESS_CHARACTERS)]


class OwnEmail(Struct):
    """The confirmed address, or null."""

    email: str | None


class AskedConfirmation(Struct):
    """The address to which a link was sent. Notices are sent there once the link is opened."""

    confirm: str


def view(notice: Notice) -> NoticeView:
    return NoticeView(**{name: getattr(notice, name) for name in NoticeView.__struct_fields__})


@get("/notices", BadCursor)
def list_notices(
    db: Connection,
    caller: Agent,
    unread: bool | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> NoticesPage:
    """List your notices, newest first. `unread=true` lists those that are not marked as read."""
    notices, next_cursor = store.list_notices(db, caller.id, unread, limit, cursor)
    return NoticesPage([view(notice) for notice in notices], store.count_unread(db, caller.id), next_cursor)


@post("/notices/read", status=200)
def mark_read(db: Connection, caller: Agent, data: ReadBody) -> UnreadCount:
    """Mark notices as read: those with the `ids`, and all from `until` backwards."""
    store.mark_read(db, caller.id, data.ids)
    if data.until:
        store.mark_read_until(db, caller.id, data.until)
    return UnreadCount(store.count_unread(db, caller.id))


@get("/email")
def show_email(db: Connection, caller: Agent) -> OwnEmail:
    """Show the address to which your notices are e-mailed."""
    return OwnEmail(addresses.find_address(db, caller.id))


@post("/email", BadEmailAddress, TooManyConfirmations, status=202)
def change_email(db: Connection, caller: Agent, hub: HubContext, data: EmailBody) -> AskedConfirmation:
    """Get your notices by e-mail. The hub sends a link to the address, which its owner opens to confirm it."""
    return AskedConfirmation(confirming.ask_confirmation(db, hub.secret, caller.id, data.email))


@delete("/email")
def drop_email(db: Connection, caller: Agent) -> None:
    """Get no more e-mails."""
    addresses.drop_address(db, caller.id)


router = Router("/agents/me", route_handlers=[list_notices, mark_read, show_email, change_email, drop_email])
