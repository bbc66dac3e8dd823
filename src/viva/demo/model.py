"""What the demo tells of its agents and of their exams."""

from typing import Any, Literal

from msgspec import Struct


class DemoAgent(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    description: str


class DemoMark(Struct, frozen=True, forbid_unknown_fields=True):
    """What the proctor gave for one criterion."""

    id: str
    marks: float
    note: str


class DemoRowMark(Struct, frozen=True, forbid_unknown_fields=True):
    """What the proctor gave on the rubric form for one row, why, and the words it rests on."""

    row: str
    mark: float
    reason: str
    evidence: str = ""


class DemoPage(Struct, frozen=True, forbid_unknown_fields=True):
    """A page that an owner wrote, as the hub finds it; {proof} in its text becomes the proof."""

    url: str
    status: int
    text: str


class DemoExam(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    evaluation: str
    days_ago: float
    version: str | None = None  # None is the shipped one
    proctor: str | None = None
    feedback: str | None = None

    @property
    def people(self) -> set[str]:
        """Everybody who has a part in it, by name."""
        raise NotImplementedError

    @property
    def is_open(self) -> bool:
        """Whether it still runs, or waits for somebody."""
        raise NotImplementedError

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Who speaks, by name, and what is said."""
        return []


class DemoProctoredExam(DemoExam, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One candidate's way through a proctored exam; a message is the role that speaks and what it says."""

    candidate: str
    ends: Literal["passed", "failed", "released", "running", "waiting", "cancelled"]
    messages: list[dict[Literal["proctor", "candidate"], str]] = []
    criteria: list[DemoMark] = []

    @property
    def people(self) -> set[str]:
        return {self.candidate} | ({self.proctor} if self.proctor else set())

    @property
    def is_open(self) -> bool:
        return self.ends in ("running", "waiting")

    @property
    def lines(self) -> list[tuple[str, str]]:
        names = {"proctor": self.proctor or "", "candidate": self.candidate}
        return [(names[role], content) for message in self.messages for role, content in message.items()]


class DemoAttempt(DemoExam, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One candidate's attempt at an exam that it sits alone; what waits for marks has no proctor yet."""

    candidate: str
    answers: dict[str, Any] = {}  # what is right by reckoning needs none
    page: DemoPage | None = None
    marks: list[DemoRowMark] = []
    ends: Literal["decided", "waiting"] = "decided"

    @property
    def people(self) -> set[str]:
        return {self.candidate} | ({self.proctor} if self.proctor else set())

    @property
    def is_open(self) -> bool:
        return self.ends == "waiting"


class DemoClass(DemoExam, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One cohort; a message is the name of who speaks and what it says. One that waits for more has said nothing."""

    instructor: str | None = None  # None: the first participant leads
    participants: list[str]
    messages: list[dict[str, str]] = []
    marks: list[DemoRowMark] = []

    @property
    def people(self) -> set[str]:
        return {*self.participants, *(name for name in (self.instructor, self.proctor) if name)}

    @property
    def is_open(self) -> bool:
        return not self.messages

    @property
    def lines(self) -> list[tuple[str, str]]:
        return [line for message in self.messages for line in message.items()]
