"""The route /mcp. The package of the protocol is loaded with the first request, because a hub starts faster without it."""

import asyncio
from typing import TYPE_CHECKING, Any

from litestar import Request, Response, post
from litestar.types import Receive, Scope, Send

from viva.protocols.admission import admit_message
from viva.protocols.extras import check_mcp

if TYPE_CHECKING:
    from viva.protocols.mcp_http import McpService

MCP_PATH = "/mcp"


class McpDesk:
    """The MCP service of one server process, once somebody needs it."""

    def __init__(self, base_url: str, body_bytes: int) -> None:
        self._base_url = base_url
        self._body_bytes = body_bytes
        self._service: McpService | None = None
        self._opening = asyncio.Lock()

    async def open(self) -> "McpService":
        async with self._opening:
            if self._service is None:
                check_mcp()
                service = (await asyncio.to_thread(load_service))(self._base_url, self._body_bytes)
                await service.start()
                self._service = service
        return self._service

    async def close(self) -> None:
        if self._service:
            await self._service.close()


def load_service() -> "type[McpService]":
    """The class of the service. The import takes a second, so it runs in a thread."""
    from viva.protocols.mcp_http import McpService

    return McpService


class McpExchange(Response[bytes]):
    """The answer of the MCP service, which reads the request and sends the response itself."""

    def __init__(self, service: "McpService") -> None:
        self.service = service

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.service.answer(scope, receive, send)


@post(MCP_PATH, status_code=200)
async def answer_mcp(request: Request) -> Response[bytes]:
    """Answer one message of MCP. The calls that it makes are counted, checked and limited like those of any caller."""
    await admit_message(request)
    desk: McpDesk = request.app.state.mcp
    return McpExchange(await desk.open())
