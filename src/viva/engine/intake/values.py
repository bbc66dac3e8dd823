"""Values that did not come as JSON text: what JSON can hold, no deeper and no longer than is read."""

import json
from math import isfinite
from typing import Any

from viva.engine.intake.faults import Faults
from viva.engine.intake.limits import LIMITS, MAX_INTEGER_BITS, Limits
from viva.engine.intake.plain import decode, mend

SIMPLE = frozenset((bool, type(None)))  # of which nothing can be wrong


def check(document: object, limits: Limits = LIMITS) -> Any:
    """The value itself, once nothing is found wrong with it; half a surrogate pair becomes U+FFFD."""
    visit = ValueCheck(limits)
    visit.value(document)
    visit.faults.raise_any()
    return decode(mend(json.dumps(document).encode())) if visit.halves else document


class ValueCheck:
    """Goes through a value, which the limit of depth keeps from going too deep; spells a path only for a fault."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.faults = Faults()
        self.halves = False  # whether a text holds half a surrogate pair
        self.path: list[str | int] = []

    def value(self, value: object) -> None:
        if isinstance(value, str):
            self.text(value)
        elif isinstance(value, list | dict):
            self.parts(value)
        elif isinstance(value, float):
            if not isfinite(value):
                self.fault("not_finite", f"is {value}, which JSON has no number for")
        elif type(value) is int:
            if value.bit_length() > MAX_INTEGER_BITS:
                self.fault(
                    "too_large", f"is a number of {value.bit_length():,} bits; at most {MAX_INTEGER_BITS:,} are read"
                )
        elif type(value) not in SIMPLE:
            self.fault("not_json", f"is a {type(value).__name__}, which JSON does not have")

    def text(self, text: str) -> None:
        if len(text) > self.limits.text:
            self.fault("too_long", f"has {len(text):,} characters; at most {self.limits.text:,} are read")
        self.halves |= not text.isascii() and not writable(text)

    def parts(self, value: list[Any] | dict[Any, Any]) -> None:
        if len(self.path) >= self.limits.depth:
            self.path.clear()  # the whole is too deep, wherever that is
            self.fault("too_deep", f"is nested more than {self.limits.depth} deep")
            self.faults.raise_any()
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(value, dict):
                self.key(key)
            if not (type(part) in SIMPLE or (type(part) is int and part.bit_length() <= MAX_INTEGER_BITS)):
                self.path.append(key)
                self.value(part)
                self.path.pop()

    def key(self, key: object) -> None:
        if isinstance(key, str):
            self.halves |= not key.isascii() and not writable(key)
        else:
            self.fault("not_json", "has a key that is not text")

    def fault(self, code: str, message: str) -> None:
        spelled = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)
        self.faults.add(spelled.removeprefix("."), code, message)


def writable(text: str) -> bool:
    """Whether a text can be written as UTF-8, which half a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
