"""Requests to an ASGI app that runs in the event loop of another thread, from any thread and from any event loop."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

import httpx

from viva.client.app_transport import AppTransport

T = TypeVar("T")
APP_ENDED = "The app in this process has ended."


class LoopTransport(httpx.BaseTransport):
    """Passes requests of any thread to an app in its event loop. A stream of events is passed on piece by piece."""

    def __init__(self, loop: asyncio.AbstractEventLoop, app: Any) -> None:
        self._loop = loop
        self._app = AppTransport(app)

    def begin(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begin work in the event loop of the app. Once that is closed, the app is out of reach, like any other."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()
            raise httpx.ConnectError(APP_ENDED) from None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            return self.begin(self.answer(request, request.read())).result()
        except CancelledError:
            raise httpx.ReadError(APP_ENDED) from None

    async def answer(self, request: httpx.Request, body: bytes) -> httpx.Response:
        sent = httpx.Request(request.method, request.url, headers=request.headers, content=body)
        response = await self._app.handle_async_request(sent)
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            return httpx.Response(response.status_code, headers=response.headers, stream=LoopStream(self, response))
        content = await response.aread()
        return httpx.Response(response.status_code, headers=response.headers, content=content)


class AsyncLoopTransport(httpx.AsyncBaseTransport):
    """The same for requests of another event loop."""

    def __init__(self, transport: LoopTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        return await asyncio.wrap_future(self._transport.begin(self._transport.answer(request, body)))


class LoopStream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """An answer that is still being written in the event loop of the app."""

    def __init__(self, transport: LoopTransport, response: httpx.Response) -> None:
        self._transport = transport
        self._response = response
        self._pieces = response.aiter_raw()

    def _read(self) -> "Future[bytes]":
        async def read() -> bytes:
            return await anext(self._pieces, b"")

        return self._transport.begin(read())

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._read().result():
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := await asyncio.wrap_future(self._read()):
            yield piece

    def close(self) -> None:
        self._transport.begin(self._response.aclose()).result()

    async def aclose(self) -> None:
        await asyncio.wrap_future(self._transport.begin(self._response.aclose()))
