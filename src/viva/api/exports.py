"""Routes of files that are read and sent in pieces: all results of an evaluation, and one result with its transcript."""

import asyncio
from contextlib import aclosing
from typing import Annotated, Any

from litestar import Router
from litestar.response import Response
from litestar.types import HTTPResponseStartEvent, Receive, Scope, Send
from msgspec import Meta

from viva.agents.model import Agent
from viva.api.paging import SearchText
from viva.api.results import OFFICIAL_VALUES, OfficialFilter
from viva.api.route_spec import ResponseKind, RouteCall
from viva.api.routing import get
from viva.context import HubContext, address_of
from viva.evaluations import store as evaluations
from viva.exams import viewing, visibility
from viva.exams.records import RECORD_MEDIA_TYPE, ResultRecord, open_record
from viva.exams.shown_rows import ShownRows
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.results.export import ResultReader
from viva.results.export_files import Export, Exports, SentFile, TooManyExports
from viva.results.export_formats import EXPORT_FORMATS, FormatName
from viva.results.store import NoSuchResult

FileFormat = Annotated[FormatName, Meta(description="CSV for spreadsheets, JSON lines, or Parquet.")]


class Download(Response[bytes]):
    """A file that is made while it is sent. If this fails midway, the response stays unfinished."""

    def __init__(self, exports: Exports, database: Database, file: SentFile, address: str, is_limited: bool) -> None:
        self.exports = exports
        self.database = database
        self.file = file
        self.address = address
        self.is_limited = is_limited

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("is_head"):
            await send(self.start)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        if self.is_limited:
            self.exports.check_room(self.address)
        with self.exports.open.track(self.address):
            disconnect = asyncio.create_task(wait_for_disconnect(receive))
            try:
                await send(self.start)
                await self.send_file(send, disconnect)
            finally:
                disconnect.cancel()

    async def send_file(self, send: Send, disconnect: "asyncio.Task[None]") -> None:
        async with aclosing(self.exports.pieces(self.database, self.file)) as pieces:
            async for piece in pieces:
                if disconnect.done():
                    return
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    @property
    def start(self) -> HTTPResponseStartEvent:
        headers = [
            (b"content-type", self.file.media_type.encode()),
            (b"content-disposition", f'attachment; filename="{self.file.name}"'.encode()),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        return {"type": "http.response.start", "status": 200, "headers": headers}


async def wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def respond_file(call: RouteCall, file: SentFile) -> Download:
    hub = call.hub
    return Download(hub.exports, hub.database, file, address_of(call.request), hub.rate_limits is not None)


FILE = ResponseKind(tuple(kind.media_type.partition(";")[0] for kind in EXPORT_FORMATS.values()), respond_file)
RECORD = ResponseKind((RECORD_MEDIA_TYPE,), respond_file)


@get("/export", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, TooManyExports, response=FILE)
def export_results(
    db: Connection,
    viewer: Agent | None,
    hub: HubContext,
    evaluation_id: str,
    format_: FileFormat = "csv",
    version: SearchText = None,
    official: OfficialFilter = "any",
) -> Export:
    """Export all results of an evaluation, or of one version, as a file. Each result is one row, oldest first.

    Each row has what the caller may see of the result. `official` and `official_reasons` tell official from practice
    results; the parameter `official` selects one kind. The file has the results of the moment of the request. If the
    export fails midway, the transfer stays unfinished, so that a client notices the incomplete file."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluations.check_version(db, evaluation, version)
    show, only = ShownRows(hub.secret, viewer).show, OFFICIAL_VALUES[official]
    return Export(ResultReader(evaluation.id, version, now(), show, official=only), format_)


@get(
    "/{result_id:str}/record",
    evaluations.NoSuchEvaluation,
    NoSuchResult,
    viewing.KeptBack,
    TooManyExports,
    response=RECORD,
)
def export_record(
    db: Connection, viewer: Agent | None, hub: HubContext, evaluation_id: str, result_id: str
) -> ResultRecord:
    """Download a result with its proof and its whole transcript, as one JSON file that can be verified without the hub.

    It has `result`, `proof`, `session_id`, `participants` and, if there was a session, `messages`."""
    return open_record(db, hub, evaluation_id, result_id, viewer)


router = Router("/evaluations/{evaluation_id:str}/results", route_handlers=[export_results, export_record])
