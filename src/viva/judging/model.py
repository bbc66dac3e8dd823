"""What a judge is asked and what it rules."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec


class Question(msgspec.Struct, frozen=True):
    """A question on texts by strangers, with the answers that count."""

    ask: str
    texts: Mapping[str, str]
    answers: tuple[str, ...] = ("yes", "no")


class Ruling(msgspec.Struct, frozen=True):
    """One of the answers, how sure the judge is (0-1), and why."""

    answer: str
    confidence: float
    reason: str


class Usage(msgspec.Struct):
    """What a judge has cost."""

    calls: int = 0
    tokens: int = 0


class Hearing(NamedTuple):
    """A ruling for each question in their order, None where there is none, and what they cost."""

    rulings: list[Ruling | None]
    usage: Usage


class Budget(msgspec.Struct, frozen=True):
    """What the judge may cost; when either is spent, further questions stay without a ruling."""

    calls: int = 1_000
    tokens: int = 2_000_000
