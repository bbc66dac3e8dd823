"""JSON answers, sent as they are."""

from typing import Any

from litestar.response import Response
from litestar.types import Receive, Scope, Send

Headers = tuple[tuple[bytes, bytes], ...]


class JsonAnswer(Response[bytes]):
    """Bytes that are JSON already; leaner than Litestar's own response, which looks at what it is given first."""

    def __init__(
        self, status: int, body: bytes, media_type: bytes = b"application/json", headers: Headers = ()
    ) -> None:
        about_body = ((b"content-type", media_type), (b"content-length", b"%d" % len(body))) if body else ()
        self.start = {"type": "http.response.start", "status": status, "headers": [*about_body, *headers]}
        self.rest = {"type": "http.response.body", "body": body, "more_body": False}

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(self.start)  # type: ignore[arg-type]
        await send(self.rest)  # type: ignore[arg-type]
