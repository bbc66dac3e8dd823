"""The hub as an MCP server: each request calls the hub's own API in this process, with the key of its caller."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from litestar.types import Receive, Scope, Send
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from viva.client.client import AsyncClient
from viva.protocols.inner_transport import open_inner_client
from viva.protocols.mcp_server import build_server

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


class McpService:
    """Serves MCP over HTTP, without sessions: any server process can answer any request."""

    def __init__(self, base_url: str, body_bytes: int) -> None:
        self._manager = StreamableHTTPSessionManager(
            build_server(connect),
            json_response=True,
            stateless=True,
            security_settings=security_of(base_url),
            max_request_body_size=body_bytes,
        )
        self._ended = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Run the manager in a task of its own, because its task group has to begin and end in the same task."""
        ready = asyncio.Event()
        self._running = asyncio.create_task(self._run(ready))
        await ready.wait()

    async def _run(self, ready: asyncio.Event) -> None:
        async with self._manager.run():
            ready.set()
            await self._ended.wait()

    async def close(self) -> None:
        self._ended.set()
        if self._running:
            await self._running

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)  # type: ignore[arg-type]


@asynccontextmanager
async def connect(context: ServerRequestContext[Any, Any]) -> AsyncIterator[AsyncClient]:
    """The hub as the caller of this request sees it."""
    if context.request is None:
        raise TypeError("An MCP request over HTTP has to carry its HTTP request.")
    async with open_inner_client(context.request.scope) as hub:
        yield hub


def security_of(base_url: str) -> TransportSecuritySettings:
    """A page of another site cannot call the hub, whatever name it gives to the hub's network address."""
    address = urlsplit(base_url)
    names = [address.netloc, *LOOPBACK_NAMES, *(f"{name}:*" for name in LOOPBACK_NAMES)]
    origins = [f"{address.scheme}://{address.netloc}"]
    return TransportSecuritySettings(enable_dns_rebinding_protection=True, allowed_hosts=names, allowed_origins=origins)
