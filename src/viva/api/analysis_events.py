"""The progress of an analysis as server-sent events: how far it is, then each turn, then the end.

The engine goes through all turns several times, and what it finds in the last ones changes what it says of the first: no turn
has a score before the end. So `progress` counts while it runs, and the turns come together."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from functools import partial
from typing import Any, NamedTuple

import msgspec
from litestar import Router
from litestar.response import Stream

from viva.agents.model import Agent
from viva.analyses import store
from viva.analyses.model import AnalysisRun
from viva.analyses.store import NoSuchAnalysis
from viva.analyses.watching import watch_run
from viva.api.route_spec import ResponseKind, RouteCall
from viva.api.routing import get
from viva.api.sessions import LastEventId
from viva.api.traces import ShareToken
from viva.context import HubContext, address_of, read_slowly
from viva.exams import analysis_viewing
from viva.exams.viewing import NotForYou
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid
from viva.sessions.feed import STREAM_HEADERS, TooManyStreams
from viva.traces.sharing import NotYourTrace

MAX_EVENT_ID_CHARACTERS = 9


class BadEventId(Invalid):
    """Last-Event-ID has to be the id of an event of this stream."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("Last-Event-ID", "bad_event_id", self.__doc__ or ""),))


class ProgressStart(NamedTuple):
    """An analysis, and how many of its turns the reader has seen."""

    analysis_id: str
    turns_seen: int


def render(event: str, data: Any, event_id: int | None = None) -> bytes:
    head = b"" if event_id is None else b"id: %d\n" % event_id
    return head + b"event: %s\ndata: %s\n\n" % (event.encode(), msgspec.json.encode(data))


async def stream_progress(hub: HubContext, address: str, start: ProgressStart) -> AsyncIterator[bytes]:
    """Events until the analysis is done or has failed. The id of a turn's event is its position, from 1."""
    told = None
    yield b": listening\n\n"
    async with aclosing(watch_run(hub.feed, address, start.analysis_id)) as runs:
        async for run in runs:
            if run.has_ended:
                content = await read_slowly(hub.database, partial(store.find_json, analysis_id=run.id))
                for event in last_events(run, content, start.turns_seen):
                    yield event
                return
            progress = {"status": run.status, "turns_done": run.turns_done, "turns": run.turns}
            yield render("progress", progress) if progress != told else b": still here\n\n"
            told = progress


def last_events(run: AnalysisRun, content: bytes | None, turns_seen: int) -> Iterator[bytes]:
    turns = msgspec.json.decode(content, type=dict[str, Any])["turn_results"] if content else []
    for position, turn in enumerate(turns[turns_seen:], turns_seen + 1):
        shown = {name: turn[name] for name in ("turn_index", "is_bad", "detection_type", "confidence")}
        scores = [{"agent_id": one["agent_id"], "score": one["score"]} for one in turn["interactions"]]
        yield render("turn", {**shown, "interactions": scores}, position)
    yield render("end", {"status": run.status, "overall_score": run.overall_score, "reason": run.reason})


async def respond_progress(call: RouteCall, start: ProgressStart) -> Stream:
    address = address_of(call.request)
    if call.hub.rate_limits:
        call.hub.feed.check_room(address)
    events = stream_progress(call.hub, address, start)
    return Stream(events, media_type="text/event-stream", headers=STREAM_HEADERS)


PROGRESS_STREAM = ResponseKind(("text/event-stream",), respond_progress)


@get(
    "/events",
    NoSuchAnalysis,
    NotYourTrace,
    NotForYou,
    BadEventId,
    TooManyStreams,
    response=PROGRESS_STREAM,
)
def stream_analysis(
    db: Connection,
    viewer: Agent | None,
    analysis_id: str,
    share: ShareToken = None,
    last_event_id: LastEventId = None,
) -> ProgressStart:
    """Stream the progress of an analysis. While it runs, `progress` says how much of the work is done, counted in turns.

    The engine goes through all turns several times, and no turn has a score before all are read. So each `turn`, with the
    result of one, comes when the analysis is done, and then `end`. Send `Last-Event-ID` to continue after a disconnect."""
    run = analysis_viewing.get_run(db, analysis_id, viewer, share)
    seen = last_event_id or "0"
    if not (seen.isascii() and seen.isdigit() and len(seen) <= MAX_EVENT_ID_CHARACTERS):
        raise BadEventId()
    return ProgressStart(run.id, int(seen))


router = Router("/analyses/{analysis_id:str}", route_handlers=[stream_analysis])
