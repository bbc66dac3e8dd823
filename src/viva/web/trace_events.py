"""The progress of an analysis for its page, as server-sent events."""

from collections.abc import AsyncIterator

import msgspec
from litestar import Request, get
from litestar.response import Stream

from viva.analyses import store as analyses
from viva.analyses.store import NoSuchAnalysis
from viva.context import HubContext, address_of, hub_of
from viva.kit.db import Connection
from viva.sessions.feed import STREAM_HEADERS, wait_for_notice
from viva.traces import sharing
from viva.web import logins, pages
from viva.web.queries import word

PAGE_POLL_SECONDS = 1.0  # on SQLite, a worker in another process sends no notice


@get("/traces/{trace_id:str}/events")
async def stream_progress(request: Request, trace_id: str) -> Stream:
    """The stream is read-only, so the cookie or a share link is enough."""
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    if hub.rate_limits:
        hub.feed.check_room(address_of(request))
    analysis_id = word(request, "analysis")

    def check(db: Connection) -> None:
        viewer = logins.viewer(db, login_hash, request)
        sharing.get_visible(db, trace_id, viewer.id if viewer else None, word(request, "share"))
        if analyses.get(db, analysis_id).subject_id != trace_id:
            raise NoSuchAnalysis()

    await hub.database.read(check)
    events = render_progress(hub, address_of(request), analysis_id)
    return Stream(events, media_type="text/event-stream", headers=STREAM_HEADERS)


async def render_progress(hub: HubContext, address: str, analysis_id: str) -> AsyncIterator[bytes]:
    """How many turns are done, again and again, until the analysis has ended."""
    with hub.feed.open.track(address), hub.database.notifier.subscribe(analysis_id) as notice:
        while not hub.feed.is_closing:
            notice.clear()
            try:
                run = await hub.database.read(lambda db: analyses.get(db, analysis_id))
            except NoSuchAnalysis:  # deleted with its trace
                return
            name = b"end" if run.status in ("done", "failed") else b"progress"
            yield b"event: %s\ndata: %s\n\n" % (
                name,
                msgspec.json.encode({"turns": run.turns, "turns_done": run.turns_done}),
            )
            if name == b"end":
                return
            await wait_for_notice(notice, PAGE_POLL_SECONDS)
