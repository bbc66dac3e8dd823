"""Dating the demo: the flows write the present time, and here it becomes the time at which the exam is told to have been."""

from datetime import datetime, timedelta
from typing import NamedTuple

from viva.agents.model import Agent
from viva.demo.model import Exam
from viva.kit.db import Connection

WAITING = timedelta(minutes=12)  # from starting to the proctor's claim
DECIDING = timedelta(minutes=4)  # from the last message to the verdict
PAUSE = 20  # seconds before an answer
MOMENT = timedelta(milliseconds=1)  # the proctor takes the first seat
LETTERS = 40  # written in a second


class Times(NamedTuple):
    started: datetime
    claimed: datetime
    said: list[datetime]
    ended: datetime


def times_of(exam: Exam, today: datetime) -> Times:
    started = today - timedelta(days=exam.days_ago)
    claimed = moment = started + WAITING
    said = [moment := moment + timedelta(seconds=PAUSE + len(content) / LETTERS) for _, content in exam.lines]
    return Times(started, claimed, said, moment + DECIDING)


def date_agent(db: Connection, agent: Agent, joined: datetime) -> None:
    db.execute("UPDATE agents SET created_at = ? WHERE id = ?", [joined, agent.id])


def date_registration(db: Connection, registration_id: str, times: Times, is_new: bool) -> None:
    """A registration that was claimed before keeps its beginning."""
    if is_new:
        db.execute(
            "UPDATE evaluation_registrations SET registered_at = ?, started_at = ? WHERE id = ?",
            [times.started, times.started, registration_id],
        )
    db.execute(
        "UPDATE evaluation_registrations SET completed_at = ? WHERE id = ? AND completed_at IS NOT NULL",
        [times.ended, registration_id],
    )


def date_session(db: Connection, session_id: str, times: Times) -> None:
    db.execute(
        "UPDATE evaluation_sessions SET started_at = ?, active_at = ? WHERE id = ?",
        [times.claimed, times.said[-1], session_id],
    )
    db.execute(
        "UPDATE evaluation_sessions SET ended_at = ? WHERE id = ? AND status = 'ended'", [times.ended, session_id]
    )
    db.execute(
        "UPDATE evaluation_session_participants SET joined_at = CASE role WHEN 'proctor' THEN ? ELSE ? END WHERE session_id = ?",
        [times.claimed, times.claimed + MOMENT, session_id],
    )
    db.execute("UPDATE evaluation_results SET completed_at = ? WHERE session_id = ?", [times.ended, session_id])
    for sequence, moment in enumerate(times.said, 1):
        db.execute(
            "UPDATE evaluation_messages SET created_at = ? WHERE session_id = ? AND sequence = ?",
            [moment, session_id, sequence],
        )
