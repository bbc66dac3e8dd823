"""Answers as JSON: a long list is encoded some items at a time, and comes out as if it were encoded at once."""

import asyncio
from typing import Any

import msgspec
import pytest

from viva.api.json import STEP_BYTES, encode, encode_small


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
    "a list": [Item("a")] * 100,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_in_parts_as_at_once(value: Any):
    whole = msgspec.json.encode(value)

    assert asyncio.run(encode(value)) == whole
    assert encode_small(value, len(whole)) == whole
    assert encode_small(value, len(whole) - 1) is None


def test_others_get_their_turn_while_a_long_list_is_encoded():
    items = [Item("x" * STEP_BYTES)] * 20
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

    assert turns >= len(items) - 1


def test_of_a_long_list_no_more_is_encoded_than_is_needed_to_know_its_size():
    """What cannot be encoded stands behind what is enough."""
    assert encode_small({"items": ["x" * 100] * 20 + [object()]}, 1_000) is None
