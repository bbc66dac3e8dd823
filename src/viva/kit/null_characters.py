"""Null characters in JSON text, where they are escaped. PostgreSQL cannot store them."""

import re

# After an even number of backslashes. After an odd number it is no escape, but a backslash and "u0000".
NULL_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\u0000")


def has_null_character(encoded: bytes) -> bool:
    return b"\\u0000" in encoded and NULL_ESCAPE.search(encoded) is not None


def replace_null_characters(encoded: bytes) -> bytes:
    """The JSON text with the replacement character in place of each."""
    return NULL_ESCAPE.sub(rb"\1\\ufffd", encoded) if b"\\u0000" in encoded else encoded
