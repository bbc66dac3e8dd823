"""Checks values that did not come as JSON text: types that JSON has, within the limits."""

import json
from math import isfinite
from typing import Any

from viva.engine.intake.faults import Faults
from viva.engine.intake.limits import LIMITS, MAX_INTEGER_BITS, Limits
from viva.engine.intake.plain import decode, mend

ALWAYS_VALID_TYPES = frozenset((bool, type(None)))


def check(document: object, limits: Limits = LIMITS) -> Any:
    """The value itself if it has no fault. Half a surrogate pair becomes U+FFFD."""
    visit = ValueCheck(limits)
    visit.check_value(document)
    visit.faults.raise_any()
    return decode(mend(json.dumps(document).encode())) if visit.has_half_pair else document


class ValueCheck:
    """Visits every part of a value. The depth limit bounds the recursion. A path is written only for a fault."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.faults = Faults()
        self.has_half_pair = False  # whether a text contains half a surrogate pair
        self.path: list[str | int] = []

    def check_value(self, value: object) -> None:
        if isinstance(value, str):
            self.check_text(value)
        elif isinstance(value, list | dict):
            self.check_parts(value)
        elif isinstance(value, float):
            if not isfinite(value):
                self.add_fault("not_finite", f"is {value}, which JSON has no number for")
        elif type(value) is int:
            if value.bit_length() > MAX_INTEGER_BITS:
                self.add_fault(
                    "too_large", f"is a number of {value.bit_length():,} bits; at most {MAX_INTEGER_BITS:,} are read"
                )
        elif type(value) not in ALWAYS_VALID_TYPES:
            self.add_fault("not_json", f"is a {type(value).__name__}, which JSON does not have")

    def check_text(self, text: str) -> None:
        if len(text) > self.limits.text:
            self.add_fault("too_long", f"has {len(text):,} characters; at most {self.limits.text:,} are read")
        self.has_half_pair |= not text.isascii() and not is_writable(text)

    def check_parts(self, value: list[Any] | dict[Any, Any]) -> None:
        if len(self.path) >= self.limits.depth:
            self.path.clear()  # the fault concerns the whole document
            self.add_fault("too_deep", f"is nested more than {self.limits.depth} deep")
            self.faults.raise_any()
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict):
                self.check_key(key)
            if not (type(part) in ALWAYS_VALID_TYPES or (type(part) is int and part.bit_length() <= MAX_INTEGER_BITS)):
                self.path.append(key)
                self.check_value(part)
                self.path.pop()

    def check_key(self, key: object) -> None:
        if isinstance(key, str):
            self.has_half_pair |= not key.isascii() and not is_writable(key)
        else:
            self.add_fault("not_json", "has a key that is not text")

    def add_fault(self, code: str, message: str) -> None:
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        self.faults.add(path.removeprefix("."), code, message)


def is_writable(text: str) -> bool:
    """Whether a text can be encoded as UTF-8. Half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
