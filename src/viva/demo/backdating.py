"""Backdating the demo: the flows write the current time, and this file moves it to the time of each exam."""

from datetime import datetime, timedelta
from typing import NamedTuple

import msgspec

from viva.agents.model import Agent
from viva.demo.model import DemoExam
from viva.exams import challenges, claim_links, members, sheets
from viva.exams.model import Cohort, Registration
from viva.kit.clock import format_time
from viva.kit.db import Connection
from viva.kit.rows import many
from viva.results import statements
from viva.results.model import Result
from viva.results.store import RESULT_COLUMNS
from viva.sessions import chain

WAIT_FOR_PROCTOR = timedelta(minutes=12)  # from the start to the claim, or to the beginning of a class
SOLO_EXAM_TIME = timedelta(minutes=7)  # from the start to handing in
VERDICT_TIME = timedelta(minutes=4)  # from the last message to the verdict
MARKING_TIME = timedelta(hours=3)  # from handing in to the marks
VOIDING_TIME = timedelta(hours=20)  # from a verdict until a maintainer voids it
CLASS_ARRIVAL_GAP = timedelta(minutes=1)  # from one participant of a class to the next
ANSWER_PAUSE_SECONDS = 20  # before each message
SEAT_GAP = timedelta(milliseconds=1)  # the proctor joins first
LETTERS_PER_SECOND = 40  # typing speed


class ExamTimes(NamedTuple):
    started: datetime
    claimed: datetime
    said: list[datetime]
    ended: datetime
    decided: datetime


def proctored_times(exam: DemoExam, today: datetime) -> ExamTimes:
    started = today - timedelta(days=exam.days_ago)
    claimed = moment = started + WAIT_FOR_PROCTOR
    said = [
        moment := moment + timedelta(seconds=ANSWER_PAUSE_SECONDS + len(content) / LETTERS_PER_SECOND)
        for _, content in exam.lines
    ]
    return ExamTimes(started, claimed, said, moment + VERDICT_TIME, moment + VERDICT_TIME)


def class_times(exam: DemoExam, today: datetime) -> ExamTimes:
    """A class is marked some time after its end."""
    times = proctored_times(exam, today)
    return times._replace(decided=times.ended + MARKING_TIME)


def solo_times(exam: DemoExam, today: datetime) -> ExamTimes:
    started = today - timedelta(days=exam.days_ago)
    ended = started + SOLO_EXAM_TIME
    return ExamTimes(started, started, [], ended, ended + MARKING_TIME if exam.proctor else ended)


def date_agent(db: Connection, agent: Agent, joined: datetime) -> None:
    db.execute("UPDATE agents SET created_at = ? WHERE id = ?", [joined, agent.id])
    db.execute("UPDATE agent_names SET given_at = ? WHERE agent_id = ?", [joined, agent.id])


def date_registration(db: Connection, registration_id: str, times: ExamTimes, is_new: bool = True) -> None:
    """Date a registration and its result, and sign the result again. One that was released before keeps its start.

    The session has to be dated first: its chain is a part of what is signed."""
    if is_new:
        db.execute(
            "UPDATE evaluation_registrations SET registered_at = ?, started_at = ? WHERE id = ?",
            [times.started, times.started, registration_id],
        )
    db.execute(
        "UPDATE evaluation_registrations SET completed_at = ? WHERE id = ? AND completed_at IS NOT NULL",
        [times.decided, registration_id],
    )
    dated = db.execute(
        f"""
        UPDATE evaluation_results SET completed_at = ?, voided_at = CASE WHEN voided_at IS NOT NULL THEN ? END
        WHERE registration_id = ? RETURNING {RESULT_COLUMNS}
        """,
        [times.decided, times.decided + VOIDING_TIME, registration_id],
    )
    for result in many(Result, dated):
        statements.state(db, result, "backdated")


def date_session(db: Connection, session_id: str, times: ExamTimes) -> None:
    db.execute(
        "UPDATE evaluation_sessions SET started_at = ?, active_at = ? WHERE id = ?",
        [times.claimed, times.said[-1], session_id],
    )
    db.execute(
        "UPDATE evaluation_sessions SET ended_at = ? WHERE id = ? AND status = 'ended'", [times.ended, session_id]
    )
    db.execute(
        """
        UPDATE evaluation_session_participants
        SET joined_at = CASE WHEN role IN ('proctor', 'instructor') THEN ? ELSE ? END WHERE session_id = ?
        """,
        [times.claimed, times.claimed + SEAT_GAP, session_id],
    )
    for sequence, moment in enumerate(times.said, 1):
        db.execute(
            "UPDATE evaluation_messages SET created_at = ? WHERE session_id = ? AND sequence = ?",
            [moment, session_id, sequence],
        )
    chain.chain_again(db, session_id)


def date_claim(db: Connection, registration_id: str, times: ExamTimes) -> None:
    """Date the owner's confirmation shortly before the agent hands in."""
    claim = msgspec.json.encode({"claimed_at": format_time(times.ended - CLASS_ARRIVAL_GAP)}).decode()
    db.execute(
        "UPDATE evaluation_answers SET answer = ?, answered_at = ? WHERE registration_id = ? AND question_id = ?",
        [claim, times.ended - CLASS_ARRIVAL_GAP, registration_id, claim_links.CLAIM_ANSWER_ID],
    )


def date_attempt(db: Connection, registration_id: str, times: ExamTimes) -> None:
    """Date the challenge and the attempt."""
    challenge = challenges.get_of(db, registration_id)
    db.execute(
        "UPDATE evaluation_challenges SET issued_at = ?, expires_at = ?, used_at = ? WHERE id = ?",
        [times.started, times.started + (challenge.expires_at - challenge.issued_at), times.ended, challenge.id],
    )
    db.execute(
        "UPDATE evaluation_attempts SET submitted_at = ? WHERE registration_id = ?", [times.ended, registration_id]
    )


def date_job(db: Connection, job_id: str, times: ExamTimes) -> None:
    db.execute("UPDATE jobs SET created_at = ?, due_at = ? WHERE id = ?", [times.ended, times.ended, job_id])


def date_sheet(db: Connection, subject_id: str, times: ExamTimes) -> None:
    sheet = sheets.get_about(db, subject_id)
    date_job(db, sheet.job_id, times)
    db.execute("UPDATE evaluation_sheets SET opened_at = ? WHERE id = ?", [times.ended, sheet.id])
    db.execute(
        "UPDATE evaluation_sheets SET closed_at = ? WHERE id = ? AND closed_at IS NOT NULL", [times.decided, sheet.id]
    )
    db.execute("UPDATE evaluation_markings SET marked_at = ? WHERE sheet_id = ?", [times.decided, sheet.id])


def date_cohort(db: Connection, cohort: Cohort, times: ExamTimes) -> None:
    """Date a cohort and its members, who joined one after the other."""
    db.execute("UPDATE evaluation_cohorts SET opened_at = ? WHERE id = ?", [times.started, cohort.id])
    if cohort.started_at and cohort.ends_at:
        db.execute(
            "UPDATE evaluation_cohorts SET started_at = ?, ends_at = ?, ended_at = ? WHERE id = ?",
            [times.claimed, times.claimed + (cohort.ends_at - cohort.started_at), times.ended, cohort.id],
        )
    for number, registration in enumerate(members.list_present(db, cohort.id)):
        date_member(db, cohort, registration, times._replace(started=times.started + number * CLASS_ARRIVAL_GAP))


def date_member(db: Connection, cohort: Cohort, registration: Registration, times: ExamTimes) -> None:
    date_registration(db, registration.id, times)
    db.execute(
        "UPDATE evaluation_cohort_members SET joined_at = ? WHERE cohort_id = ? AND registration_id = ?",
        [times.started, cohort.id, registration.id],
    )
