"""The route of exports: every result of an evaluation as one file, read and sent some at a time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, NamedTuple

from litestar import Request, Router
from litestar.handlers import HTTPRouteHandler
from litestar.response import Response
from litestar.types import Receive, Scope, Send
from msgspec import Meta

from viva.agents.model import Agent
from viva.api.hub import hub_of
from viva.api.paging import Words
from viva.api.reading import read_words
from viva.api.routing import address, admitted
from viva.api.shape import Shape
from viva.evaluations import store as evaluations
from viva.exams import visibility
from viva.kit.clock import now
from viva.kit.db import Connection, Database
from viva.kit.errors import TooMany
from viva.kit.limits import AtOnce
from viva.results.export import Reading, file_name
from viva.results.export_formats import FORMATS, FormatName

MOST_EXPORTS = 4  # of one address in one process
RETRY_AFTER = 30  # seconds, in which 100,000 results have gone out

FileFormat = Annotated[FormatName, Meta(description="CSV for spreadsheets, JSON lines, or Parquet.")]


class TooManyExports(TooMany):
    """Too many exports are under way to this address; wait until one has ended."""


class Export(NamedTuple):
    """What is to be exported, and how."""

    reading: Reading
    format: FormatName


class Exports:
    """The exports under way in this process: so many for one address, and one at a time at work."""

    def __init__(self) -> None:
        self.open = AtOnce()
        self._turn = asyncio.Lock()

    def check_room(self, address: str) -> None:
        if self.open.of(address) >= MOST_EXPORTS:
            raise TooManyExports(retry_after=RETRY_AFTER)

    async def pieces(self, database: Database, export: Export) -> AsyncGenerator[bytes, None]:
        encoder = FORMATS[export.format].encoder()
        yield encoder.begin()
        while not export.reading.is_done:
            async with self._turn:  # however many exports there are, a request waits for one piece of one of them
                rows = await database.read(export.reading.next)
                piece = await asyncio.to_thread(encoder.add, rows)
            if piece:
                yield piece
        yield await asyncio.to_thread(encoder.end)


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
        with self.exports.open.one_more(self.address):
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
    def start(self) -> Any:
        reading, format_ = self.export
        name = file_name(reading.evaluation_id, reading.version, reading.until, format_)
        headers = [
            (b"content-type", FORMATS[format_].media_type.encode()),
            (b"content-disposition", f'attachment; filename="{name}"'.encode()),
            (b"cache-control", b"no-store"),
            (b"x-accel-buffering", b"no"),
        ]
        return {"type": "http.response.start", "status": 200, "headers": headers}


async def until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def export_results(
    db: Connection, viewer: Agent | None, evaluation_id: str, format_: FileFormat = "csv", version: Words = None
) -> Export:
    """Every result of an evaluation, or of one version, as a file: one row each, oldest first, as of this moment.

    A file that could not be finished ends without the end of the transfer, so that no program takes it for whole."""
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    evaluations.check_version(db, evaluation, version)
    return Export(Reading(evaluation.id, version, now()), format_)


SHAPE = Shape.of(
    export_results,
    200,
    (evaluations.NoSuchEvaluation, evaluations.NoSuchVersion, TooManyExports),
    media_types=tuple(format_.media_type.partition(";")[0] for format_ in FORMATS.values()),
)


async def export(request: Request) -> Download:
    hub = hub_of(request)
    key = await admitted(request, hub, needs_key=False)
    words = read_words(request, SHAPE)
    begun = await hub.database.read(lambda db: export_results(**words, **SHAPE.given(db, key, hub)))
    is_limited = hub.rate_limits is not None
    return Download(request.app.state.exports, hub.database, begun, address(request), is_limited)


export.shape = SHAPE  # type: ignore[attr-defined]
router = Router(
    "/evaluations/{evaluation_id:str}/results",
    route_handlers=[HTTPRouteHandler("/export", http_method="GET")(export)],
)
