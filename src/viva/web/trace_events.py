"""The progress of an analysis for its page, as server-sent events."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import msgspec
from litestar import Request, get
from litestar.response import Stream

from viva.agents.access import id_of
from viva.analyses import store as analyses
from viva.analyses.store import NoSuchAnalysis
from viva.analyses.watching import watch_run
from viva.context import address_of, hub_of
from viva.kit.db import Connection
from viva.sessions.feed import STREAM_HEADERS, Feed
from viva.traces import sharing
from viva.web import logins, pages
from viva.web.queries import word


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
        sharing.get_visible(db, trace_id, id_of(viewer), word(request, "share"))
        if analyses.get(db, analysis_id).subject_id != trace_id:
            raise NoSuchAnalysis()

    await hub.database.read(check)
    events = render_progress(hub.feed, address_of(request), analysis_id)
    return Stream(events, media_type="text/event-stream", headers=STREAM_HEADERS)


async def render_progress(feed: Feed, address: str, analysis_id: str) -> AsyncIterator[bytes]:
    """How many turns are done, again and again, until the analysis has ended."""
    async with aclosing(watch_run(feed, address, analysis_id)) as runs:
        async for run in runs:
            progress = msgspec.json.encode({"turns": run.turns, "turns_done": run.turns_done})
            yield b"event: %s\ndata: %s\n\n" % (b"end" if run.has_ended else b"progress", progress)
