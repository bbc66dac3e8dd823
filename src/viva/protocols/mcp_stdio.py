"""The MCP server as a program: a client starts it and talks to it over its standard input and output."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.stdio import stdio_server

from viva.client.client import AsyncClient
from viva.protocols.mcp_server import build_server


async def serve_stdio(url: str | None, key: str | None) -> None:
    """Serve until the client closes the input. The address and the key are those of the client library."""
    async with AsyncClient(url, key) as hub:

        @asynccontextmanager
        async def connect(context: Any) -> AsyncIterator[AsyncClient]:
            yield hub

        server = build_server(connect)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
