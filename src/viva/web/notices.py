"""The page of the signed-in agent's notices: unread ones first, and the form that marks them as read."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.paging import BadCursor
from viva.notices import store
from viva.notices.model import Notice
from viva.web import logins, pages
from viva.web.forms import fields_in
from viva.web.origins import check_own_form
from viva.web.queries import cursor

NOTICES_PER_PAGE = 50
MAX_NOTICES_FORM_BYTES = 4 * 1024  # the form has the id of a notice
NOTICES_PATH = "/notices"


@dataclass(frozen=True)
class NoticesList:
    unread: list[Notice]
    has_more_unread: bool
    read: list[Notice]
    next_cursor: str | None  # of those that are read

    @property
    def newest_id(self) -> str:
        """Marks all as read up to what the page shows."""
        return self.unread[0].id if self.unread else ""


@get("/notices")
async def list_notices(request: Request) -> Response[str]:
    def read(db: Connection) -> NoticesList | None:
        viewer = pages.frame_of(request).viewer
        return notices_list(db, viewer, cursor(request)) if viewer else None

    return await pages.show(request, "notices/list.html", read)


def notices_list(db: Connection, viewer: Agent, after: str | None) -> NoticesList:
    unread = store.list_notices(db, viewer.id, True, NOTICES_PER_PAGE, None)
    try:
        read = store.list_notices(db, viewer.id, False, NOTICES_PER_PAGE, after)
    except BadCursor:  # a page can always be shown
        read = store.list_notices(db, viewer.id, False, NOTICES_PER_PAGE, None)
    return NoticesList(unread.items, unread.next_cursor is not None, read.items, read.next_cursor)


@post("/notices/read", request_max_body_size=MAX_NOTICES_FORM_BYTES)
async def mark_read(request: Request) -> Redirect:
    """Mark one notice as read, or all up to the newest that the page showed."""
    check_own_form(request)
    login_hash = await pages.admit(request, hub_of(request))
    written = fields_in(await request.body())

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return f"/login?next={NOTICES_PATH}"
        store.mark_read(db, viewer.id, [written["id"]] if "id" in written else [])
        if "until" in written:
            store.mark_read_until(db, viewer.id, written["until"])
        return NOTICES_PATH

    return Redirect(await pages.write(request, unit), status_code=303)
