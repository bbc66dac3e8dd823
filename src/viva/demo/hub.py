"""What the exams of the demo share: the hub's agents, sending messages, and marking work."""

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

# The secret protects nothing: signed values are used at once, and pages come from the demo's files.
DEMO_HUB_FACTS = HubFacts(
    b"the demo hands in what it signs at once", "http://demo.example", (ANY_HOST,), proctors="anyone"
)
DEMO_KEY_HASH = "0" * 64  # of a key that does not exist
NO_JUDGE = Panel([])


class DemoHub(NamedTuple):
    db: Connection
    sip: Sip
    agents: dict[str, Agent]
    today: datetime


def send_messages(hub: DemoHub, exam: DemoExam, session_id: str) -> None:
    for name, content in exam.lines:
        channel.send(hub.db, hub.sip.id, session_id, hub.agents[name].id, content, MESSAGE_BYTES)


def mark_work(hub: DemoHub, exam: DemoAttempt | DemoClass, subject: dict[str, str], times: ExamTimes) -> None:
    """Run the background work without a judge, then let the proctor mark if there is one."""
    (subject_id,) = subject.values()
    read, think, keep, _ = grading.work(NO_JUDGE)
    task = read(hub.db, {"evaluation_id": hub.sip.id, **subject})
    keep(hub.db, task, think(task), True)
    if exam.proctor:
        given = [GivenMark(mark.row, mark.mark, mark.reason, mark.evidence) for mark in exam.marks]
        marker, policy = hub.agents[exam.proctor], DEMO_HUB_FACTS.proctors
        marking.take(hub.db, hub.sip.id, subject_id, marker, policy)
        marking.give_marks(hub.db, hub.sip.id, subject_id, marker, given, exam.feedback, policy)
    backdating.date_sheet(hub.db, subject_id, times)
