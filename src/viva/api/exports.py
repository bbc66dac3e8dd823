"""The route of exports: every result of an evaluation as one file, read and sent some at a time."""

import asyncio
from contextlib import aclosing
from typing import Annotated, Any

from litestar import Router
from litestar.response import Response
from litestar.types import HTTPResponseStartEvent, Receive, Scope, Send
from msgspec import Meta

from viva.agents.model import Agent
from viva.api.paging import SearchText
from viva.api.route_spec import ResponseKind, RouteCall
from viva.api.routing import get
from viva.context import address_of
from viva.evaluations import store as evaluations
from viva.exams import visibility
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.results.export import ResultReader, file_name
from viva.results.export_files import Export, Exports, TooManyExports
from viva.results.export_formats import EXPORT_FORMATS, FormatName

FileFormat = Annotated[FormatName, Meta(description="CSV for spreadsheets, JSON lines, or Parquet.")]


class Download(Response[bytes]):
    """A file that is made while it is sent. If that fails midway, nobody is told that the file has ended."""

    def __init__(self, exports: Exports, database: Database, export: Export, address: str, is_limited: bool) -> None:
        self.exports = exports
        self.database = database
        self.export = export
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
            gone = asyncio.create_task(until_gone(receive))
            try:
                await send(self.start)
                await self.send_file(send, gone)
            finally:
                gone.cancel()

    async def send_file(self, send: Send, gone: "asyncio.Task[None]") -> None:
        async with aclosing(self.exports.pieces(self.database, self.export)) as pieces:
            async for piece in pieces:
                if gone.done():
                    return
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    @property
    def start(self) -> HTTPResponseStartEvent:
        reading, format_ = self.export
        name = file_name(reading.evaluation_id, reading.version, reading.until, format_)
        headers = [
            (b"content-type", EXPORT_FORMATS[format_].media_type.encode()),
            (b"content-disposition", f'attachment; filename="{name}"'.encode()),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        return {"type": "http.response.start", "status": 200, "headers": headers}


async def until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def respond_file(call: RouteCall, export: Export) -> Download:
    hub = call.hub
    return Download(hub.exports, hub.database, export, address_of(call.request), hub.rate_limits is not None)


FILE = ResponseKind(tuple(each.media_type.partition(";")[0] for each in EXPORT_FORMATS.values()), respond_file)


@get("/export", evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, TooManyExports, response=FILE)
def export_results(
    db: Connection, viewer: Agent | None, evaluation_id: str, format_: FileFormat = "csv", version: SearchText = None
) -> Export:
    """Every result of an evaluation, or of one version, as a file: one row each, oldest first, as of this moment.

    A file that could not be finished ends without the end of the transfer, so that no program takes it for whole."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluations.check_version(db, evaluation, version)
    return Export(ResultReader(evaluation.id, version, now()), format_)


router = Router("/evaluations/{evaluation_id:str}/results", route_handlers=[export_results])
