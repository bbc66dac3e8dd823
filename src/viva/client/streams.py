"""Streams of server-sent events that go on where they broke off, also when the hub was restarted."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from viva.client.calls import ItemType, StreamCall, StreamEvent
from viva.client.retrying import Retries, StreamBroken, error_of, is_success, may_try_again, retry_after
from viva.client.steps import Emit, Hear, Items, Listen, Pause, Reply, Steps

END_EVENT = "end"


def stream_all(stream: StreamCall[ItemType]) -> Items[ItemType]:
    """Each item of the stream, in order and once, until its end."""
    return Items(follow(stream))


def follow(stream: StreamCall[Any]) -> Steps[None]:
    call, retries, last_id = stream.call, Retries(), stream.call.headers.get("Last-Event-ID", "")
    while True:
        place = {"Last-Event-ID": last_id} if last_id else {}
        reply: Reply = yield Listen(replace(call, headers={**call.headers, **place}))
        parser, pieces = EventParser(), 0
        while is_success(reply) and (piece := (yield Hear())):
            pieces += 1
            if pieces > 1:  # the first is the greeting: a stream that only greets does not move on
                retries = Retries()
            for event in parser.add(piece):
                retries, last_id = Retries(), event.id or last_id
                item = stream.read(event)
                if item is not None:
                    yield Emit(item)
                if event.name == END_EVENT:
                    return
        pause = retries.next_pause(retry_after(reply)) if is_success(reply) or may_try_again(call, reply) else None
        if pause is None:
            raise StreamBroken() if is_success(reply) else error_of(reply)
        yield Pause(pause)


class EventParser:
    """Cuts bytes into events. Comments, which keep a connection open, are dropped."""

    def __init__(self) -> None:
        self._rest = b""
        self._fields: dict[str, list[bytes]] = {}

    def add(self, piece: bytes) -> Iterator[StreamEvent]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            line = line.removesuffix(b"\r")
            if line:
                name, _, value = line.partition(b":")
                self._fields.setdefault(name.decode(), []).append(value.removeprefix(b" "))
            elif "data" in self._fields:
                yield self._take()
            else:
                self._fields = {}

    def _take(self) -> StreamEvent:
        fields, self._fields = self._fields, {}
        event_id, name = (fields.get(field, [b""])[-1].decode() for field in ("id", "event"))
        return StreamEvent(event_id, name or "message", b"\n".join(fields["data"]))
