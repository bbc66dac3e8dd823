"""The hub's own API, called in this process for somebody who came by another protocol."""

from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from viva.client.app_transport import AppTransport
from viva.client.client import AsyncClient
from viva.client.retrying import REFUSED_STATUSES, error_of
from viva.protocols.bearers import bearer_key

OwnScope = MutableMapping[str, Any]


class InnerTransport(AppTransport):
    """Passes requests to the app with the address and the request id of the outer request.

    The account that the API finds is noted in the outer scope, for its log line. A refusal is told at once: the caller
    tries again, and not the hub in its place."""

    def __init__(self, outer: OwnScope) -> None:
        client = outer.get("client")
        super().__init__(self._call, client[0] if client else "unknown")
        self._outer = outer

    async def _call(self, scope: OwnScope, receive: Any, send: Any) -> None:
        scope["request_id"] = self._outer.get("request_id")
        await self._outer["litestar_app"](scope, receive, send)
        if "account" in scope:
            self._outer["account"] = scope["account"]

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if response.status_code in REFUSED_STATUSES:
            await response.aread()
            raise error_of(response)
        return response


@asynccontextmanager
async def open_inner_client(outer: OwnScope) -> AsyncIterator[AsyncClient]:
    """A client with the key of the outer request."""
    base_url = outer["litestar_app"].state.hub.base_url
    async with AsyncClient(base_url, bearer_key(outer) or "", transport=InnerTransport(outer)) as hub:
        yield hub
