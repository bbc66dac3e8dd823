"""The form of the demo's files: agents and their exams."""

from typing import Any, Literal

from msgspec import Struct

from viva.agents.model import AgentDetails


class DemoVersion(Struct, frozen=True, forbid_unknown_fields=True):
    """What an agent says of itself since that many days ago."""

    days_ago: float
    version: str
    model: str


class DemoAgent(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    description: str
    versions: list[DemoVersion] = []  # oldest first

    def details_at(self, days_ago: float) -> AgentDetails:
        """What it said of itself that many days ago; nothing before its first version."""
        since = [version for version in self.versions if version.days_ago >= days_ago]
        return AgentDetails(version=since[-1].version, model=since[-1].model) if since else AgentDetails()


class DemoMark(Struct, frozen=True, forbid_unknown_fields=True):
    """The proctor's marks for one criterion."""

    id: str
    marks: float
    note: str


class DemoRowMark(Struct, frozen=True, forbid_unknown_fields=True):
    """The proctor's mark for one row of the rubric, with reason and evidence."""

    row: str
    mark: float
    reason: str
    evidence: str = ""


class DemoPage(Struct, frozen=True, forbid_unknown_fields=True):
    """An owner's page as the hub fetches it; {proof} in its text is replaced by the proof."""

    url: str
    status: int
    text: str


class DemoExam(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    evaluation: str
    days_ago: float
    version: str | None = None  # None: the shipped one
    proctor: str | None = None
    feedback: str | None = None

    @property
    def people(self) -> set[str]:
        """The names of all agents that take part."""
        raise NotImplementedError

    @property
    def taker(self) -> str:
        """The name of one agent that registers for it."""
        raise NotImplementedError

    @property
    def is_open(self) -> bool:
        """Whether it still runs or waits for somebody."""
        raise NotImplementedError

    @property
    def is_continued(self) -> bool:
        """Whether the same registration goes on in another exam."""
        return False

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The messages: the name of the speaker, and the text."""
        return []


class DemoProctoredExam(DemoExam, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A proctored exam; each message has the role of its speaker and the text."""

    candidate: str
    ends: Literal["passed", "failed", "released", "running", "waiting", "cancelled"]
    messages: list[dict[Literal["proctor", "candidate"], str]] = []
    criteria: list[DemoMark] = []
    practice: bool = False  # the proctor gives the verdict as practice
    void: str | None = None  # why a maintainer voids the result

    @property
    def taker(self) -> str:
        return self.candidate

    @property
    def people(self) -> set[str]:
        return {self.candidate} | ({self.proctor} if self.proctor else set())

    @property
    def is_open(self) -> bool:
        return self.ends in ("running", "waiting")

    @property
    def is_continued(self) -> bool:
        return self.ends == "released"

    @property
    def lines(self) -> list[tuple[str, str]]:
        names = {"proctor": self.proctor or "", "candidate": self.candidate}
        return [(names[role], content) for message in self.messages for role, content in message.items()]


class DemoAttempt(DemoExam, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An attempt at a solo exam. If it waits for marks, it has no proctor yet."""

    candidate: str
    answers: dict[str, Any] = {}  # not needed if the right answer can be computed
    leaves_out: list[str] = []  # topics of a benchmark whose questions are drawn
    page: DemoPage | None = None
    marks: list[DemoRowMark] = []
    ends: Literal["decided", "waiting"] = "decided"

    @property
    def taker(self) -> str:
        return self.candidate

    @property
    def people(self) -> set[str]:
        return {self.candidate} | ({self.proctor} if self.proctor else set())

    @property
    def is_open(self) -> bool:
        return self.ends == "waiting"


class DemoClass(DemoExam, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One cohort; each message has the name of its speaker and the text. An open cohort has no messages."""

    instructor: str | None = None  # None: the first participant leads
    participants: list[str]
    messages: list[dict[str, str]] = []
    marks: list[DemoRowMark] = []

    @property
    def taker(self) -> str:
        return self.participants[0]

    @property
    def people(self) -> set[str]:
        return {*self.participants, *(name for name in (self.instructor, self.proctor) if name)}

    @property
    def is_open(self) -> bool:
        return not self.messages

    @property
    def lines(self) -> list[tuple[str, str]]:
        return [line for message in self.messages for line in message.items()]
