"""Watching an analysis: how far it is, again and again, until it has ended."""

from collections.abc import AsyncGenerator

from viva.analyses import store
from viva.analyses.model import AnalysisRun
from viva.analyses.store import NoSuchAnalysis
from viva.kit.notifier import wait_until_set
from viva.sessions.feed import Feed

PROGRESS_POLL_SECONDS = 1.0  # on SQLite, a worker in another process sends no notice


async def watch_run(feed: Feed, address: str, analysis_id: str) -> AsyncGenerator[AnalysisRun, None]:
    """The analysis after each notice and each second. The last one has ended, unless it was deleted or the hub closes."""
    with feed.open.track(address), feed.database.notifier.subscribe(analysis_id) as notice:
        while not feed.is_closing:
            notice.clear()
            try:
                run = await feed.database.read(lambda db: store.get(db, analysis_id))
            except NoSuchAnalysis:  # deleted with its trace
                return
            yield run
            if run.has_ended:
                return
            await wait_until_set(notice, PROGRESS_POLL_SECONDS)
