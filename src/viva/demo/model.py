"""What the demo tells: its agents, its exams, and the SIPs they are taken in, read from the files beside this one."""

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from viva.config import SHIPPED_SIPS
from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.evaluations.sip import Sip

FOLDER = Path(__file__).parent


class Person(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    description: str


class Mark(Struct, frozen=True, forbid_unknown_fields=True):
    """What the proctor gave for one criterion."""

    id: str
    marks: float
    note: str


class Exam(Struct, frozen=True, forbid_unknown_fields=True):
    """One candidate's way through an evaluation; a message is the role that speaks and what it says."""

    evaluation: str
    candidate: str
    days_ago: float
    ends: Literal["passed", "failed", "released", "running", "waiting", "cancelled"]
    version: str | None = None  # None is the shipped one
    proctor: str | None = None
    messages: list[dict[Literal["proctor", "candidate"], str]] = []
    criteria: list[Mark] = []
    feedback: str | None = None

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Who speaks, by name, and what is said."""
        names = {"proctor": self.proctor or "", "candidate": self.candidate}
        return [(names[role], content) for message in self.messages for role, content in message.items()]


def people() -> list[Person]:
    return msgspec.yaml.decode((FOLDER / "agents.yaml").read_bytes(), type=list[Person])


def exams() -> list[Exam]:
    """The exams, oldest first."""
    read = [msgspec.yaml.decode(path.read_bytes(), type=Exam) for path in (FOLDER / "exams").glob("*.yaml")]
    return sorted(read, key=lambda exam: exam.days_ago, reverse=True)


def shipped(exams: list[Exam]) -> dict[str, Sip]:
    """The SIPs as Viva ships them, of the evaluations that are taken here."""
    read = [sips.parse(path.read_text("utf-8")) for path in catalogue.sip_files([SHIPPED_SIPS])]
    taken = {exam.evaluation for exam in exams}
    return {sip.id: sip for sip in read if sip.id in taken}


def earlier(exam: Exam) -> Sip:
    """The SIP of an exam from before the shipped version."""
    return sips.parse((FOLDER / f"{exam.evaluation}-{exam.version}.md").read_text("utf-8"))
