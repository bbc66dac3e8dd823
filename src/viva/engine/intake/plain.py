"""JSON from outside as plain values: well-formed, within the limits of depth and size, with valid Unicode."""

import ast
import json
import re
from itertools import accumulate
from typing import Any

import msgspec

from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits

BOM = b"\xef\xbb\xbf"
JSON_STRING = re.compile(rb'"[^"]*+"?')  # a quote that is never closed takes the rest
BRACKET_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # read as signed bytes: +1 and -1
OTHER_BYTES = bytes(set(range(256)) - set(b'[{]}"'))
# Finds an escaped half of a surrogate pair without its other half, as a cut emoji leaves it.
# It consumes whole escapes, so that the second backslash of `\\ud800` does not start a new one.
JSON_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\."
)
MAX_LITERAL_CHARACTERS = 100_000  # of a Python literal; its parser is slow
MAX_ENCODINGS = 4  # times that a value may be encoded as a text; exporters do it twice
ESCAPE_BYTES = 6  # bytes of one escape; a pair has twelve


def check_raw(raw: bytes, limits: Limits = LIMITS) -> bytes:
    """Check size, encoding and depth before decoding; return the bytes without a byte order mark."""
    if len(raw) > limits.bytes:
        refuse("", "too_large", f"has {len(raw):,} bytes; at most {limits.bytes:,} are read")
    raw = raw.removeprefix(BOM)
    if not raw.isascii():
        check_utf8(raw)
    if is_deeper(raw, limits.depth):
        refuse("", "too_deep", f"is nested more than {limits.depth} deep")
    return raw


def check_utf8(raw: bytes) -> None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        refuse("", "not_utf8", f"is not UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start}, line {line}")


def is_deeper(raw: bytes, limit: int) -> bool:
    """Whether brackets outside of strings nest deeper than the limit. It does not recurse."""
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False  # a small trace needs no scan
    unescaped = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    marks = unescaped.translate(None, OTHER_BYTES).replace(b'""', b"")  # most strings contain no bracket
    steps = JSON_STRING.sub(b"", marks).translate(BRACKET_STEPS)
    return max(accumulate(memoryview(steps).cast("b")), default=0) > limit


def decode(raw: bytes) -> Any:
    """The value of checked bytes. Half a surrogate pair becomes the replacement character."""
    try:
        return msgspec.json.decode(raw)
    except UnicodeDecodeError:
        check_utf8(raw)
        raise
    except (msgspec.MsgspecError, RecursionError) as error:
        mended = mend(raw)
        if mended != raw:
            return decode(mended)
        message = str(error).removeprefix("JSON is malformed: ").split(" - at `$")[0]
        return refuse("", "not_json", f"is not JSON: {message}")


def parse_embedded_json(text: str, limits: Limits = LIMITS) -> Any:
    """The value of a text that is JSON; None if it is not JSON or too deep."""
    raw = mend(text.encode("utf-8", "replace"))
    if is_deeper(raw, limits.depth // 2):  # the document around it has a depth of its own
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None


def decode_text(text: str) -> Any:
    """The object or list in a text that is JSON, or JSON of such a text; None if there is none."""
    found: Any = text
    for _ in range(MAX_ENCODINGS):
        if not found.lstrip().startswith(("{", "[", '"')):
            return None
        found = parse_embedded_json(found)
        if not isinstance(found, str):
            return found if isinstance(found, dict | list) else None
    return None


def decode_value(value: Any) -> Any:
    """The value itself; of a text that is JSON, its object, its list, or its text."""
    known = decode_text(value) if isinstance(value, str) else value
    if known is None and isinstance(value, str) and value.startswith('"'):
        known = parse_embedded_json(value)
    return value if known is None else known


def decode_literal(text: str) -> Any:
    """The object or list in a text that is a Python literal, as `str()` writes it; None if there is none."""
    if text[:2] not in ("{'", "[{", "['") or len(text) > MAX_LITERAL_CHARACTERS:
        return None
    if is_deeper(text.encode("utf-8", "replace"), LIMITS.depth // 2):
        return None
    try:
        return json.loads(json.dumps(ast.literal_eval(text)))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def text_length(value: object) -> int:
    """The characters of all texts in a value."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(text_length, value.values()))
    return sum(map(text_length, value)) if isinstance(value, list) else 0


def objects(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none if this is no list."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def first_value(value: dict[str, Any], *keys: str) -> Any:
    """The value of the first of these keys that is not null."""
    return next((value[key] for key in keys if value.get(key) is not None), None)


def mend(raw: bytes) -> bytes:
    """Replace each escaped half of a surrogate pair by U+FFFD."""
    return JSON_ESCAPE.sub(mended_escape, raw) if b"\\u" in raw else raw


def mended_escape(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    return rb"\ufffd" if len(escape) == ESCAPE_BYTES else escape
