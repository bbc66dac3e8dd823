"""Requests to an ASGI app in this process, without a port. Answers are streamed, so that event streams work too."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx

QUEUED_PIECES = 16  # of an answer that is read slowly; the app waits then


class AppTransport(httpx.AsyncBaseTransport):
    """Passes requests to an app in the event loop of the caller. `address` is the network address that the app sees."""

    def __init__(self, app: Any, address: str = "127.0.0.1") -> None:
        self._app = app
        self._address = address

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        exchange = AppExchange(await request.aread())
        exchange.task = asyncio.create_task(exchange.run(self._app, self._scope(request)))
        try:
            status, headers = await exchange.wait_for_start()
        except BaseException:
            await exchange.aclose()
            raise
        return httpx.Response(status, headers=headers, stream=exchange, request=request)

    def _scope(self, request: httpx.Request) -> dict[str, Any]:
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.split(b"?")[0],
            "query_string": request.url.query,
            "server": (request.url.host, request.url.port),
            "client": (self._address, 0),
            "root_path": "",
        }


class AppExchange(httpx.AsyncByteStream):
    """One request and its answer, which is the stream of the response."""

    def __init__(self, body: bytes) -> None:
        self.task: asyncio.Task[None] | None = None
        self._body: bytes | None = body
        self._start: asyncio.Future[tuple[int, list[tuple[bytes, bytes]]]] = asyncio.get_running_loop().create_future()
        self._pieces: asyncio.Queue[bytes | None] = asyncio.Queue(QUEUED_PIECES)
        self._left = asyncio.Event()

    async def run(self, app: Any, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        except Exception as error:
            if not self._start.done():
                self._start.set_exception(httpx.ReadError(f"The app failed: {error}"))
        finally:
            if not self._start.done():
                self._start.set_exception(httpx.ReadError("The app gave no answer."))
            if not self._left.is_set():
                await self._pieces.put(None)

    async def wait_for_start(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        return await self._start

    async def _receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start" and not self._start.done():
            self._start.set_result((message["status"], list(message["headers"])))
        elif message["type"] == "http.response.body" and message.get("body") and not self._left.is_set():
            await self._pieces.put(message["body"])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (piece := await self._pieces.get()) is not None:
            yield piece

    async def aclose(self) -> None:
        """Tell the app that the reader has left, and end it."""
        self._left.set()
        if self.task and not self.task.done():
            self.task.cancel()
            await asyncio.wait([self.task])
