"""Answers as JSON: a long list is encoded some items at a time, and comes out as if it were encoded at once."""

import asyncio
from typing import Any

import msgspec
import pytest

from viva.api.json import PIECE_BYTES, SHORT_LIST_ITEMS, JsonResponse, encode, encode_small


class Item(msgspec.Struct, omit_defaults=True):
    text: str
    more: str | None = None


class ItemsPage(msgspec.Struct):
    items: list[Item]
    next_cursor: str | None = None


VALUES: dict[str, Any] = {
    "nothing": None,
    "a text": "ça va",
    "an empty page": ItemsPage([]),
    "a short page": ItemsPage([Item("a")] * 3, "next"),
    "a long page": ItemsPage([Item("ç" * 100, "b")] * 200, "next"),
    "an object": {"registration": Item("a"), "questions": [{"id": number} for number in range(100)]},
    "two long lists": {"first": list(range(20)), "then": "\0", "second": [Item("\0")] * 9, "last": 1},
    "a list": [Item("a")] * 100,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_in_parts_as_at_once(value: Any):
    whole = msgspec.json.encode(value)

    assert b"".join(asyncio.run(encode(value))) == whole
    assert encode_small(value, len(whole)) == whole
    assert encode_small(value, len(whole) - 1) is None


def test_others_get_their_turn_while_a_long_list_is_encoded():
    items = [Item("x" * PIECE_BYTES)] * 200
    turns = 0

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def run() -> None:
        other = asyncio.create_task(take_turns())
        await encode(ItemsPage(items))
        other.cancel()

    asyncio.run(run())

    assert turns >= len(items) // SHORT_LIST_ITEMS


def test_the_pieces_of_a_long_list_are_bounded():
    pieces = asyncio.run(encode(ItemsPage([Item("x" * 10_000)] * 200)))

    assert len(pieces) > 5
    assert max(map(len, pieces)) < PIECE_BYTES + (SHORT_LIST_ITEMS + 1) * 10_000


def test_of_a_long_list_no_more_is_encoded_than_is_needed_to_know_its_size():
    """What cannot be encoded stands behind what is enough."""
    assert encode_small({"items": ["x" * 100] * 20 + [object()]}, 1_000) is None


@pytest.mark.parametrize(("scope", "bodies"), [({}, [b"a", b"b", b"c"]), ({"is_head": True}, [b"c"])])
def test_every_piece_is_sent_and_of_a_head_only_the_end(scope: dict[str, Any], bodies: list[bytes]):
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    answer: Any = JsonResponse(200, b"a", b"b", b"c")
    asyncio.run(answer(scope, None, send))

    assert (b"content-length", b"3") in sent[0]["headers"]
    assert [message["body"] for message in sent[1:]] == bodies
    assert [message["more_body"] for message in sent[1:]] == [True] * (len(bodies) - 1) + [False]
