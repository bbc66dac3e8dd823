"""JSON from outside as plain values: well-formed, not too deep, not too large, with text that can be written again."""

import re
from itertools import accumulate
from typing import Any

import msgspec

from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits

BOM = b"\xef\xbb\xbf"
STRINGS = re.compile(rb'"[^"]*+"?')  # or what stands after a quote that is never closed
BRACKETS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")  # read as signed bytes: +1 and -1
NO_MARKS = bytes(set(range(256)) - set(b'[{]}"'))
# An escaped half of a surrogate pair whose other half is missing, as cut emoji leave it. Escapes are taken in whole,
# so that the backslash of `\\ud800` is not mistaken for one.
ESCAPES = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\.")
ESCAPE_BYTES = 6  # bytes of one escape; a pair has twelve


def well_formed(raw: bytes, limits: Limits = LIMITS) -> bytes:
    """The bytes without byte order mark, once their size, encoding and depth are found fit to decode."""
    if len(raw) > limits.bytes:
        refuse("", "too_large", f"has {len(raw):,} bytes; at most {limits.bytes:,} are read")
    raw = raw.removeprefix(BOM)
    if not raw.isascii():
        check_utf8(raw)
    if deeper(raw, limits.depth):
        refuse("", "too_deep", f"is nested more than {limits.depth} deep")
    return raw


def check_utf8(raw: bytes) -> None:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        refuse("", "not_utf8", f"is not UTF-8: byte 0x{raw[error.start]:02x} at byte {error.start}, line {line}")


def deeper(raw: bytes, limit: int) -> bool:
    """Whether brackets outside of strings nest deeper than this, found without recursion."""
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False  # spares small traces the scan
    unescaped = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    marks = unescaped.translate(None, NO_MARKS).replace(b'""', b"")  # most strings have no bracket in them
    steps = STRINGS.sub(b"", marks).translate(BRACKETS)
    return max(accumulate(memoryview(steps).cast("b")), default=0) > limit


def decode(raw: bytes) -> Any:
    """The value that well-formed bytes stand for; a half surrogate becomes the replacement character."""
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
    """The value of JSON that stands in a text; None where it is none, or too deep to be looked at."""
    raw = mend(text.encode("utf-8", "replace"))
    if deeper(raw, limits.depth // 2):  # it stands inside a document that has a depth of its own
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None


def first(value: dict[str, Any], *keys: str) -> Any:
    """What stands under the first of these keys that is there and not null."""
    return next((value[key] for key in keys if value.get(key) is not None), None)


def mend(raw: bytes) -> bytes:
    """The same JSON with U+FFFD for each escaped half of a surrogate pair."""
    return ESCAPES.sub(mended_escape, raw) if b"\\u" in raw else raw


def mended_escape(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    return rb"\ufffd" if len(escape) == ESCAPE_BYTES else escape
