"""Reads request bodies up to a size limit."""

from collections.abc import Awaitable, Callable
from typing import Any

from viva.kit.errors import Invalid, TooLarge


class Disconnected(Invalid):
    """The connection ended before the whole body arrived."""


async def read_body(receive: Callable[[], Awaitable[Any]], max_bytes: int, too_large: str | None = None) -> bytes:
    """The whole body. It holds at most `max_bytes` in memory; `too_large` is the error message for a longer body."""
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
