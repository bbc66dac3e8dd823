"""Streams that go on where they broke off."""

import asyncio

import pytest

from tests.client.scripted import Reply, scripted
from viva import AsyncClient, Client
from viva.client import retrying
from viva.client.retrying import HubError, StreamBroken
from viva.client.streams import EventParser

EVENTS = {"Content-Type": "text/event-stream"}
END = b"event: end\ndata: {}\n\n"


def message(sequence: int) -> bytes:
    said = (
        b'{"id": "m%d", "sender_agent_id": "a", "role": "proctor", "content": "%d", '
        b'"created_at": "2026-11-18T09:00:00Z", "sequence": %d, "prompt_id": null}'
    ) % (sequence, sequence, sequence)
    return b"id: %d\nevent: message\ndata: %s\n\n" % (sequence, said)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(retrying, "MAX_PAUSE_SECONDS", 0.002)


BROKEN_TWICE = (
    Reply(200, b": listening\n\n" + message(1) + message(2) + b"id: 3\nevent: mess", EVENTS),
    Reply(503),
    Reply(None),
    Reply(200, b": listening\n\n" + message(3), EVENTS),
    Reply(200, b": listening\n\n" + message(4) + END, EVENTS),
)


def test_every_message_comes_once_and_in_order():
    with scripted(*BROKEN_TWICE) as hub, Client(hub.url, "viva_x") as client:
        seen = [each.sequence for each in client.streaming.stream_messages("plain-dealing", "s")]

    assert seen == [1, 2, 3, 4]
    assert [request.headers.get("Last-Event-ID") for request in hub.requests] == [None, "2", "2", "2", "3"]


def test_so_it_is_with_await():
    async def read(url: str) -> list[int]:
        async with AsyncClient(url, "viva_x") as client:
            return [each.sequence async for each in client.conversation("plain-dealing", "s").stream()]

    with scripted(*BROKEN_TWICE) as hub:
        assert asyncio.run(read(hub.url)) == [1, 2, 3, 4]


def test_a_refused_stream_is_an_error():
    with scripted(Reply(403, b'{"code": "not_for_you", "detail": "No."}')) as hub, Client(hub.url, "x") as client:  # noqa: SIM117
        with pytest.raises(HubError, match="not_for_you"):
            list(client.streaming.stream_messages("plain-dealing", "s"))

    assert len(hub.requests) == 1


def test_a_stream_that_only_greets_is_given_up():
    with scripted(Reply(200, b": listening\n\n", EVENTS)) as hub, Client(hub.url, "viva_x") as client:  # noqa: SIM117
        with pytest.raises(StreamBroken):
            list(client.streaming.stream_messages("plain-dealing", "s"))

    assert len(hub.requests) == retrying.MAX_TRIES


def test_who_stops_early_closes_the_stream():
    with scripted(Reply(200, message(1) + message(2), EVENTS)) as hub, Client(hub.url, "viva_x") as client:
        stream = client.conversation("plain-dealing", "s").stream()
        assert next(stream).sequence == 1
        stream.close()  # type: ignore[attr-defined]

        assert len(hub.requests) == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_may_be_cut_anywhere(size):
    text = b": here\n\nid: 7\nevent: turn\ndata: {\r\ndata: }\r\n\ndata: \xe2\x80\xa8\n\nevent: lost\n\n" + END
    parser = EventParser()

    events = [event for start in range(0, len(text), size) for event in parser.add(text[start : start + size])]

    assert events == [("7", "turn", b"{\n}"), ("", "message", b"\xe2\x80\xa8"), ("", "end", b"{}")]
