"""Bodies of requests, read up to a size."""

from collections.abc import Awaitable, Callable
from typing import Any

from viva.kit.errors import Invalid, TooLarge


class Disconnected(Invalid):
    """The connection ended before the whole body had come."""


async def read_body(receive: Callable[[], Awaitable[Any]], max_bytes: int, too_large: str | None = None) -> bytes:
    """The whole body; no more of it is kept than may be sent. `too_large` is what a longer one is told."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected()
        parts.append(message["body"])
        size += len(message["body"])
        if size > max_bytes:
            raise TooLarge(too_large)
        if not message.get("more_body"):
            return b"".join(parts)
