"""A discrepancy: something that is not as it was signed, recorded or counted."""

from typing import Any, Literal

from msgspec import Struct

CheckedSubject = Literal[
    "message", "session", "result", "statement", "reading", "key", "event", "checkpoint", "agent", "attempt", "sum"
]


class Discrepancy(Struct, frozen=True):
    """Something that is not as it should be: where, what, and both values if there are two."""

    subject: CheckedSubject
    id: str
    sentence: str
    expected: Any = None
    found: Any = None
