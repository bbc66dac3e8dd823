"""Null characters in JSON text are found and replaced, and what only looks like one stays."""

import msgspec
import pytest

from viva.kit.null_characters import has_null_character, replace_null_characters


@pytest.mark.parametrize("text", ["\0", "a\0b\0", "\\\0", "\\\\\0", "\\u0000\0"])
def test_a_null_character_is_found_and_replaced(text):
    encoded = msgspec.json.encode([text])

    assert has_null_character(encoded)
    assert msgspec.json.decode(replace_null_characters(encoded)) == [text.replace("\0", "\N{REPLACEMENT CHARACTER}")]


@pytest.mark.parametrize("text", ["", "u0000", "\\u0000", "\\\\u0000", "\\\\\\u0000", "\ufffd"])
def test_a_text_without_one_stays_as_it_is(text):
    encoded = msgspec.json.encode([text])

    assert not has_null_character(encoded)
    assert replace_null_characters(encoded) == encoded
