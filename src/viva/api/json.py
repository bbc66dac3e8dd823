"""JSON responses. They are encoded and sent in pieces, so that a long list does not block the event loop."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from litestar.response import Response
from litestar.types import HTTPResponseStartEvent, Receive, Scope, Send

# msgspec holds the interpreter lock while it encodes, so a thread would block the loop too.
# It encodes about a megabyte in a millisecond.
PIECE_BYTES = 256 * 1024
SHORT_LIST_ITEMS = 8  # encoded in one go; the largest item, a result, has about 100 KB
GAP = b"\0"  # marks the place of a list that is encoded separately; JSON always escapes this character

Headers = tuple[tuple[bytes, bytes], ...]


class JsonResponse(Response[bytes]):
    """A response of encoded JSON. It is faster than Litestar's own, which first inspects the content."""

    def __init__(
        self, status: int, *pieces: bytes, media_type: bytes = b"application/json", headers: Headers = ()
    ) -> None:
        size = sum(map(len, pieces))
        body_headers = ((b"content-type", media_type), (b"content-length", b"%d" % size)) if size else ()
        self.start: HTTPResponseStartEvent = {
            "type": "http.response.start",
            "status": status,
            "headers": [*body_headers, *headers],
        }
        self.pieces = pieces

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(self.start)
        *before, last = self.pieces
        for piece in () if scope.get("is_head") else before:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": last, "more_body": False})


async def encode(value: Any) -> list[bytes]:
    """The value as pieces of JSON. The event loop runs between the pieces of a long list."""
    lists = long_lists(value)
    if all(is_probably_small(items) for items in lists.values()):
        return [msgspec.json.encode(value)]
    gaps = dict.fromkeys(lists, msgspec.Raw(GAP))
    around = msgspec.json.encode(value | gaps if isinstance(value, dict) else msgspec.structs.replace(value, **gaps))
    first, *others = around.split(GAP)
    pieces = [first]
    for items, after in zip(lists.values(), others, strict=True):
        pieces += [piece async for piece in encode_items(items)]
        pieces.append(after)
    return pieces


def is_probably_small(items: list[Any]) -> bool:
    """Whether a list is one piece if its first items are like the others. Every list of the API ends at 1 MiB anyway."""
    return len(msgspec.json.encode(items[:SHORT_LIST_ITEMS])) * len(items) < PIECE_BYTES * SHORT_LIST_ITEMS


async def encode_items(items: list[Any]) -> AsyncIterator[bytes]:
    piece = bytearray(b"[")
    for start in range(0, len(items), SHORT_LIST_ITEMS):
        piece += b"," if start else b""
        piece += msgspec.json.encode(items[start : start + SHORT_LIST_ITEMS])[1:-1]
        if len(piece) > PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
            await asyncio.sleep(0)
    yield bytes(piece + b"]")


def encode_small(value: Any, max_bytes: int) -> bytes | None:
    """The value as JSON, or None if it has more bytes. Encoding stops once the limit is passed."""
    size = 0
    for items in long_lists(value).values():
        for item in items:
            size += len(msgspec.json.encode(item))
            if size > max_bytes:
                return None
    encoded = msgspec.json.encode(value)
    return encoded if len(encoded) <= max_bytes else None


def long_lists(value: Any) -> dict[str, list[Any]]:
    """The long lists among the fields of an object, by name."""
    if isinstance(value, dict):
        return {name: field for name, field in value.items() if type(field) is list and len(field) > SHORT_LIST_ITEMS}
    lists = {}
    for name in getattr(value, "__struct_fields__", ()):
        field = getattr(value, name)
        if type(field) is list and len(field) > SHORT_LIST_ITEMS:
            lists[name] = field
    return lists
