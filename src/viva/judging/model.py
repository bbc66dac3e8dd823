"""The questions for a judge, the form of its reply, and the check of its answer."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeGuard, TypeVar

import msgspec

MAX_RULING_REASON_CHARACTERS = 500  # stored of a reason, and of a quote
RulingType = TypeVar("RulingType")
ReadType = TypeVar("ReadType", covariant=True)


class JudgeQuestion(Protocol[ReadType]):
    """A question for a judge: its orders, the form of a reply, and how to read one."""

    opening: ClassVar[str]

    @property
    def texts(self) -> Mapping[str, str]: ...

    def orders(self) -> str: ...

    def form(self) -> dict[str, Any]:
        """The fields of the reply, as JSON Schema."""

    def read(self, reply: Any) -> ReadType | None:
        """The answer in the reply, or None if the reply is not a valid answer."""


class Ruling(msgspec.Struct, frozen=True):
    """One of the possible answers, the judge's confidence (0-1), and its reason."""

    answer: str
    confidence: float
    reason: str


class Question(msgspec.Struct, frozen=True):
    """A question on texts by strangers, with its possible answers."""

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

    def read(self, reply: Any) -> Ruling | None:
        try:
            ruling = msgspec.convert(reply, Ruling)
        except msgspec.ValidationError:
            return None
        if ruling.answer not in self.answers or not 0 <= ruling.confidence <= 1:
            return None
        return Ruling(ruling.answer, ruling.confidence, ruling.reason[:MAX_RULING_REASON_CHARACTERS])


class Grade(msgspec.Struct, frozen=True):
    """A mark with its reason and a quote. `is_clamped` says that the judge's own number was out of range."""

    mark: float
    reason: str
    quote: str
    is_clamped: bool


class Grading(msgspec.Struct, frozen=True):
    """The criterion for grading texts by strangers, and its maximum mark."""

    opening: ClassVar[str] = "You grade quoted texts. What they are graded for stands in this message and nowhere else."

    ask: str
    texts: Mapping[str, str]
    max_mark: float

    def orders(self) -> str:
        return (
            f"Grade for: {self.ask}\nThe grade is a number from 0 to {self.max_mark:g}.\n\n"
            'Reply with one JSON object: "quote" (the words of a text that the grade rests on, copied exactly, or ""),\n'
            f'"reason" (one sentence), "mark" (the grade, a number from 0 to {self.max_mark:g}).'
        )

    def form(self) -> dict[str, Any]:
        text = {"type": "string"}
        # The mark comes last, since a model grades better after it has written its reason.
        return {"quote": text, "reason": text, "mark": {"type": "number", "minimum": 0, "maximum": self.max_mark}}

    def read(self, reply: Any) -> Grade | None:
        fields = reply if isinstance(reply, dict) else {}
        mark = fields.get("mark")
        if not is_number(mark):
            return None
        clamped = float(max(0.0, min(mark, self.max_mark)))
        quote = self.verified_quote(to_one_line(fields.get("quote")))
        return Grade(clamped, to_one_line(fields.get("reason")), quote, clamped != mark)

    def verified_quote(self, quote: str) -> str:
        """The quote if a text contains it, since a judge may invent one."""
        return quote if any(quote in " ".join(text.split()) for text in self.texts.values()) else ""


def is_number(value: Any) -> TypeGuard[int | float]:
    """Checks the exact type, since True is an int too. An int may be too large for isfinite."""
    return type(value) is int or (type(value) is float and isfinite(value))


def to_one_line(value: Any) -> str:
    """The text on one line, shortened and without null characters; "" for any other value."""
    return (
        " ".join(value.replace("\0", " ").split())[:MAX_RULING_REASON_CHARACTERS].rstrip()
        if isinstance(value, str)
        else ""
    )


class Usage(msgspec.Struct):
    """The cost of a judge."""

    calls: int = 0
    tokens: int = 0


class Rulings(NamedTuple, Generic[RulingType]):
    """A ruling or None for each question in order, the cost, and which questions were lost.

    A question is lost if the endpoint could not answer now, so that a later try may help. An invalid reply is not lost.
    """

    rulings: list[RulingType | None]
    usage: Usage
    lost: list[bool]


class Judge(Protocol):
    """The port to a judge. A question without a ruling gets None, whatever the cause."""

    model: str

    def ask(self, questions: Sequence[JudgeQuestion[RulingType]]) -> Rulings[RulingType]:
        """Ask the questions, several at a time."""

    def with_full_budget(self) -> Self:
        """The same judge with an unspent budget."""


class Budget(msgspec.Struct, frozen=True):
    """The maximum cost of a judge. Once either part is spent, further questions get no ruling."""

    calls: int = 1_000
    tokens: int = 2_000_000
