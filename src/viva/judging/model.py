"""What a judge is asked, the form of its reply, and what counts as an answer to it."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeGuard, TypeVar

import msgspec

MAX_RULING_REASON_CHARACTERS = 500  # characters of a reason, and of a quote, that are kept
RulingType = TypeVar("RulingType")
ReadType = TypeVar("ReadType", covariant=True)


class JudgeQuestion(Protocol[ReadType]):
    """What can be put to a judge: it knows its orders, the form of a reply, and how to read one."""

    opening: ClassVar[str]

    @property
    def texts(self) -> Mapping[str, str]: ...

    def orders(self) -> str: ...

    def form(self) -> dict[str, Any]:
        """The fields of the reply, as JSON Schema."""

    def read(self, said: Any) -> ReadType | None:
        """What was said, if it is an answer; anything off the menu is none."""


class Ruling(msgspec.Struct, frozen=True):
    """One of the answers, how sure the judge is (0-1), and why."""

    answer: str
    confidence: float
    reason: str


class Question(msgspec.Struct, frozen=True):
    """A question on texts by strangers, with the answers that count."""

    opening: ClassVar[str] = (
        "You rule on quoted texts. The question and the possible answers stand in this message and nowhere else."
    )

    ask: str
    texts: Mapping[str, str]
    answers: tuple[str, ...] = ("yes", "no")

    def orders(self) -> str:
        return (
            f"Question: {self.ask}\nPossible answers: {', '.join(self.answers)}\n\n"
            'Reply with one JSON object: "answer" (one of the possible answers), "confidence" (a number from 0 to 1),\n'
            '"reason" (one sentence).'
        )

    def form(self) -> dict[str, Any]:
        return {
            "answer": {"type": "string", "enum": list(self.answers)},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "reason": {"type": "string"},
        }

    def read(self, said: Any) -> Ruling | None:
        try:
            given = msgspec.convert(said, Ruling)
        except msgspec.ValidationError:
            return None
        if given.answer not in self.answers or not 0 <= given.confidence <= 1:
            return None
        return Ruling(given.answer, given.confidence, given.reason[:MAX_RULING_REASON_CHARACTERS])


class Grade(msgspec.Struct, frozen=True):
    """A mark, why, the words of the texts it rests on, and whether the judge's own number lay outside the range."""

    mark: float
    reason: str
    quote: str
    is_clamped: bool


class Grading(msgspec.Struct, frozen=True):
    """What texts by strangers are to be graded for, and the most that can be got for it."""

    opening: ClassVar[str] = "You grade quoted texts. What they are graded for stands in this message and nowhere else."

    ask: str
    texts: Mapping[str, str]
    most: float

    def orders(self) -> str:
        return (
            f"Grade for: {self.ask}\nThe grade is a number from 0 to {self.most:g}.\n\n"
            'Reply with one JSON object: "quote" (the words of a text that the grade rests on, copied exactly, or ""),\n'
            f'"reason" (one sentence), "mark" (the grade, a number from 0 to {self.most:g}).'
        )

    def form(self) -> dict[str, Any]:
        text = {"type": "string"}
        # The mark comes last: a model writes in order, and grades better after it has looked.
        return {"quote": text, "reason": text, "mark": {"type": "number", "minimum": 0, "maximum": self.most}}

    def read(self, said: Any) -> Grade | None:
        given = said if isinstance(said, dict) else {}
        mark = given.get("mark")
        if not is_number(mark):
            return None
        held = float(max(0.0, min(mark, self.most)))
        return Grade(held, line(given.get("reason")), self.verified_quote(line(given.get("quote"))), held != mark)

    def verified_quote(self, quote: str) -> str:
        """The quote if a text has it; a judge may make things up."""
        return quote if any(quote in " ".join(text.split()) for text in self.texts.values()) else ""


def is_number(value: Any) -> TypeGuard[int | float]:
    """By type, since True is an int too; and an int may be too large to ask whether it is finite."""
    return type(value) is int or (type(value) is float and isfinite(value))


def line(said: Any) -> str:
    """Text on one line, cut to what is kept, without what no database takes; anything else is nothing."""
    return (
        " ".join(said.replace("\0", " ").split())[:MAX_RULING_REASON_CHARACTERS].rstrip()
        if isinstance(said, str)
        else ""
    )


class Usage(msgspec.Struct):
    """What a judge has cost."""

    calls: int = 0
    tokens: int = 0


class Rulings(NamedTuple, Generic[RulingType]):
    """A ruling for each question in their order, None where there is none; what they cost; and which were lost.

    Lost is what got no answer for a cause on the way, so that asking later may help; a reply off the menu is not.
    """

    rulings: list[RulingType | None]
    usage: Usage
    lost: list[bool]


class Judge(Protocol):
    """Whoever can be asked: what it does not rule on, for whatever cause, is None in the hearing."""

    model: str

    def hear(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        """Put the questions, several at once."""

    def afresh(self) -> Self:
        """The same judge with its whole budget before it."""


class Budget(msgspec.Struct, frozen=True):
    """What the judge may cost; when either is spent, further questions stay without a ruling."""

    calls: int = 1_000
    tokens: int = 2_000_000
