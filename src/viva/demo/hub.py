"""The room in which an exam of the demo is held: who is there, what is said in it, and how its work is marked."""

from datetime import datetime
from typing import NamedTuple

from viva.agents.model import Agent
from viva.config import MESSAGE_BYTES
from viva.demo import backdating
from viva.demo.backdating import ExamTimes
from viva.demo.model import DemoAttempt, DemoClass, DemoExam
from viva.evaluations.sip import Sip
from viva.exams import grading, marking
from viva.exams.marking import GivenMark
from viva.exams.model import HubFacts
from viva.judging.panel import Panel
from viva.kit.db import Connection
from viva.kit.fetch_addresses import ANY_HOST
from viva.sessions import channel

# What it signs is used up at once, and the pages that it finds are told.
DEMO_HUB_FACTS = HubFacts(b"the demo hands in what it signs at once", "http://demo.example", (ANY_HOST,))
DEMO_KEY_HASH = "0" * 64  # of a key that nobody has
NO_JUDGE = Panel([])


class DemoHub(NamedTuple):
    db: Connection
    sip: Sip
    agents: dict[str, Agent]
    today: datetime


def send_messages(room: DemoHub, exam: DemoExam, session_id: str) -> None:
    for name, content in exam.lines:
        channel.send(room.db, room.sip.id, session_id, room.agents[name].id, content, MESSAGE_BYTES)


def mark_work(room: DemoHub, exam: DemoAttempt | DemoClass, subject: dict[str, str], times: ExamTimes) -> None:
    """Find no judge, as the background work does here, and have a proctor mark, if one has come."""
    (subject_id,) = subject.values()
    read, think, keep = grading.work(NO_JUDGE)
    task = read(room.db, {"evaluation_id": room.sip.id, **subject})
    keep(room.db, task, think(task), True)
    if exam.proctor:
        given = [GivenMark(each.row, each.mark, each.reason, each.evidence) for each in exam.marks]
        marking.give_marks(room.db, room.sip.id, subject_id, room.agents[exam.proctor], given, exam.feedback)
    backdating.date_sheet(room.db, subject_id, times)
