"""Reads request bodies up to a size limit, whole or line by line."""

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple

from viva.kit.errors import Invalid, TooLarge

GZIP_HEADER = 16  # tells zlib to expect the header of gzip


class Disconnected(Invalid):
    """The connection ended before the whole body arrived."""


class NotGzip(Invalid):
    """The body is not the gzip that its Content-Encoding announces."""


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


class BodyLine(NamedTuple):
    """One line of a body. `is_too_long` means that it was skipped."""

    number: int
    raw: bytes
    is_too_long: bool = False


async def read_lines(receive: Callable[[], Awaitable[Any]], max_line_bytes: int) -> AsyncIterator[BodyLine]:
    """The lines of a body that are not blank, while it arrives. Memory holds one line and one piece."""
    number, rest, is_skipping = 0, bytearray(), False
    async for piece in read_pieces(receive):
        if not rest and not is_skipping and piece.isspace():  # blank lines without end must not keep the loop busy
            number += piece.count(b"\n")
            continue
        *ends, last = piece.split(b"\n")
        for end in ends:
            rest += end
            number += 1
            if is_skipping or len(rest) > max_line_bytes:
                yield BodyLine(number, b"", is_too_long=True)
            elif line := bytes(rest).strip():
                yield BodyLine(number, line)
            is_skipping = False
            rest.clear()
        rest += last
        if len(rest) > max_line_bytes:
            is_skipping = True
            rest.clear()
    if is_skipping:
        yield BodyLine(number + 1, b"", is_too_long=True)
    elif line := bytes(rest).strip():
        yield BodyLine(number + 1, line)


async def read_pieces(receive: Callable[[], Awaitable[Any]]) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Disconnected()
        yield message["body"]
        more = message.get("more_body", False)


def unpack_gzip(body: bytes, max_bytes: int) -> bytes:
    """The content of a gzip body. It is never unpacked beyond `max_bytes`."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | GZIP_HEADER)
    try:
        content = unpacker.decompress(body, max_bytes + 1)
    except zlib.error as error:
        raise NotGzip() from error
    if len(content) > max_bytes:
        raise TooLarge()
    if not unpacker.eof:
        raise NotGzip()
    return content
