"""JSON answers: encoded so that a long list does not hold the event loop, and sent as they are."""

import asyncio
from typing import Any

import msgspec
from litestar.response import Response
from litestar.types import HTTPResponseBodyEvent, HTTPResponseStartEvent, Receive, Scope, Send

# msgspec holds the interpreter's lock while it encodes, so that a thread would hold the loop up just the same.
# It encodes about a megabyte in a millisecond.
STEP_BYTES = 256 * 1024
SHORT_LIST_ITEMS = 8  # that are encoded in one go: the largest item, a result, has about 100 KB

Headers = tuple[tuple[bytes, bytes], ...]


class JsonAnswer(Response[bytes]):
    """Bytes that are JSON already; leaner than Litestar's own response, which looks at what it is given first."""

    def __init__(
        self, status: int, body: bytes, media_type: bytes = b"application/json", headers: Headers = ()
    ) -> None:
        about_body = ((b"content-type", media_type), (b"content-length", b"%d" % len(body))) if body else ()
        self.start: HTTPResponseStartEvent = {
            "type": "http.response.start",
            "status": status,
            "headers": [*about_body, *headers],
        }
        self.rest: HTTPResponseBodyEvent = {"type": "http.response.body", "body": body, "more_body": False}

    def to_asgi_response(self, *_: Any, **__: Any) -> Any:
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send(self.start)
        await send(self.rest)


async def encode(value: Any) -> bytes:
    """The value as JSON; between the items of a long list, others get their turn."""
    lists = {name: msgspec.Raw(await encode_list(items)) for name, items in long_lists(value).items()}
    if not lists:
        return msgspec.json.encode(value)
    return msgspec.json.encode(value | lists if isinstance(value, dict) else msgspec.structs.replace(value, **lists))


async def encode_list(items: list[Any]) -> bytes:
    encoded = []
    step = 0
    for item in items:
        encoded.append(msgspec.json.encode(item))
        step += len(encoded[-1])
        if step > STEP_BYTES:
            step = 0
            await asyncio.sleep(0)
    return b"[" + b",".join(encoded) + b"]"


def encode_small(value: Any, max_bytes: int) -> bytes | None:
    """The value as JSON, or None if it has more bytes; of a long list, no more is encoded than is needed to know."""
    size = 0
    for items in long_lists(value).values():
        for item in items:
            size += len(msgspec.json.encode(item))
            if size > max_bytes:
                return None
    encoded = msgspec.json.encode(value)
    return encoded if len(encoded) <= max_bytes else None


def long_lists(value: Any) -> dict[str, list[Any]]:
    """The long lists that stand directly in an object, by name."""
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
    else:
        fields = value if isinstance(value, dict) else {}
    return {name: each for name, each in fields.items() if isinstance(each, list) and len(each) > SHORT_LIST_ITEMS}
