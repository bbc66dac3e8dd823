"""The maintainers' page of all e-mails: those in the outbox, those sent, and those that failed."""

from dataclasses import dataclass

from litestar import Request, Response, get

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.paging import BadCursor
from viva.notices import emails
from viva.notices.model import Email
from viva.web import pages
from viva.web.queries import cursor

EMAILS_PER_PAGE = 50
EMAIL_STATUS_NAMES = {"waiting": "waits", "sent": "sent", "kept": "in the outbox", "failed": "failed"}


@dataclass(frozen=True)
class OutboxPage:
    emails: list[Email]
    next_cursor: str | None
    sends_email: bool
    base_url: str
    statuses: dict[str, str]


@get("/notices/outbox")
async def list_outbox(request: Request) -> Response[str]:
    hub = hub_of(request)

    def read(db: Connection) -> OutboxPage:
        viewer = pages.frame_of(request).viewer
        if viewer is None:
            raise MaintainersOnly()
        require_maintainer(viewer)
        try:
            found = emails.list_emails(db, EMAILS_PER_PAGE, cursor(request))
        except BadCursor:  # a page can always be shown
            found = emails.list_emails(db, EMAILS_PER_PAGE, None)
        return OutboxPage(found.items, found.next_cursor, hub.sends_email, hub.base_url, EMAIL_STATUS_NAMES)

    return await pages.show(request, "notices/outbox.html", read)
