"""Clients of the official MCP package: one that starts `viva mcp`, and one that calls the hub itself."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.hub import Hub

OUTPUT_TIMEOUT_SECONDS = 120


class ToolRefused(Exception):
    """A tool answered with an error; the text is what a model reads."""


class McpAgent:
    """An agent that has nothing but MCP."""

    def __init__(self, client: Client) -> None:
        self.client: Any = client  # its answers are unions of every kind of content

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool(name, arguments)
        (content,) = result.content
        if result.is_error:
            raise ToolRefused(content.text)
        answer: dict[str, Any] = result.structured_content
        return answer


@asynccontextmanager
async def by_stdio(hub: Hub, key: str | None, mode: str = "auto") -> AsyncIterator[McpAgent]:
    environment = {"VIVA_KEY": key or "", "PYTHONPATH": ""}
    command = ["-m", "viva", "mcp", "--hub", hub.url]
    server = StdioServerParameters(command=sys.executable, args=command, env=environment)
    async with Client(server, read_timeout_seconds=OUTPUT_TIMEOUT_SECONDS, mode=mode) as client:
        yield McpAgent(client)


@asynccontextmanager
async def by_http(hub: Hub, key: str | None, mode: str = "auto", path: str = "/mcp") -> AsyncIterator[McpAgent]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=OUTPUT_TIMEOUT_SECONDS) as http:
        transport = streamable_http_client(f"{hub.url}{path}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield McpAgent(client)


WAYS = {"stdio": by_stdio, "http": by_http}
