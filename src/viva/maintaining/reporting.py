"""Reporting something that one may see, and answering a report."""

from collections.abc import Callable
from typing import NamedTuple

from viva.agents import store as agents
from viva.agents.model import Agent, name_key
from viva.contributions import community, ownership
from viva.contributions.store import NoSuchContribution
from viva.exams import viewing, visibility
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid, TooMany
from viva.kit.limits import grant_today
from viva.maintaining import reports
from viva.maintaining.reports import FiledReport, ReportedSubject, ReportStatus
from viva.maintaining.subjects import NoSuchText
from viva.notices.notifying import clean_text, notify
from viva.sessions import store as sessions
from viva.traces import sharing

MAX_REPORT_CHARACTERS = 2_000
MAX_NOTE_CHARACTERS = 2_000
MAX_REPORTS_OF_ACCOUNT_PER_DAY = 20
MAX_REPORTS_OF_ADDRESS_PER_DAY = 60  # several accounts may share an address
MAX_NOTIFIED_MAINTAINERS = 20
REPORT_EVENTS = {
    "report.made": "For maintainers: somebody has reported something",
    "report.answered": "A maintainer has answered your report",
}


class TooManyReports(TooMany):
    """You have sent as many reports today as one may. Try again tomorrow."""


class ReportReasonNeeded(Invalid):
    """Say in 1 to 2,000 characters what is wrong."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("reason", "reason_needed", self.__doc__ or ""),))


class NoteTooLong(Invalid):
    """A note has at most 2,000 characters."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("note", "too_long", self.__doc__ or ""),))


class ReportedThing(NamedTuple):
    """What a report is about: its id, and the account that made it."""

    id: str
    author_id: str | None


def find_message(db: Connection, subject_id: str, reporter: Agent, share: str | None) -> ReportedThing:
    place = sessions.locate_message(db, subject_id)
    if place is None:
        raise NoSuchText()
    viewing.get_session_by_id(db, place.session_id, reporter)
    return ReportedThing(subject_id, place.sender_agent_id)


def find_result(db: Connection, subject_id: str, reporter: Agent, share: str | None) -> ReportedThing:
    return ReportedThing(subject_id, visibility.get_result(db, subject_id, reporter).result.agent_id)


def find_agent(db: Connection, subject_id: str, reporter: Agent, share: str | None) -> ReportedThing:
    agent = agents.get_by_name_or_id(db, subject_id, name_key(subject_id))
    return ReportedThing(agent.id, agent.id)


def find_trace(db: Connection, subject_id: str, reporter: Agent, share: str | None) -> ReportedThing:
    return ReportedThing(subject_id, sharing.get_visible(db, subject_id, reporter.id, share).owner_id)


def find_contribution(db: Connection, subject_id: str, reporter: Agent, share: str | None) -> ReportedThing:
    """A contribution that is open to everybody, or one that the reporter edits."""
    try:
        return ReportedThing(subject_id, community.get_open(db, subject_id).contributor_id)
    except NoSuchContribution:
        editor = ownership.find_editor(db, subject_id, reporter)
        return ReportedThing(subject_id, editor.contribution.contributor_id)


# How the subject of a report is found. Each refuses what the reporter may not see.
REPORTED_SUBJECTS: dict[ReportedSubject, Callable[[Connection, str, Agent, str | None], ReportedThing]] = {
    "message": find_message,
    "result": find_result,
    "agent": find_agent,
    "trace": find_trace,
    "contribution": find_contribution,
}


def report(
    db: Connection,
    reporter: Agent,
    subject_type: ReportedSubject,
    subject_id: str,
    reason: str,
    share: str | None = None,
    is_limited: bool = True,
) -> FiledReport:
    """Report something to the maintainers. `share` is the token of the link by which the reporter sees a trace."""
    reason = clean_text(reason)
    if not 1 <= len(reason) <= MAX_REPORT_CHARACTERS:
        raise ReportReasonNeeded()
    thing = REPORTED_SUBJECTS[subject_type](db, subject_id, reporter, share)
    if is_limited:
        check_daily_limits(db, reporter)

    made = reports.add(db, reporter.id, subject_type, thing.id, thing.author_id, reason)
    events.record(db, "report.made", "report", made.id, about_type=subject_type, about_id=thing.id)
    notify(
        db,
        "report.made",
        agents.list_maintainers(db, MAX_NOTIFIED_MAINTAINERS),
        f"A report about {'an agent' if subject_type == 'agent' else f'a {subject_type}'}",
        reason,
        "/maintain/reports",
        {"report_id": made.id},
    )
    return made


def check_daily_limits(db: Connection, reporter: Agent) -> None:
    limits = [(f"reports:{reporter.id}", MAX_REPORTS_OF_ACCOUNT_PER_DAY)]
    if db.actor.address_hash:
        limits.append((f"reports:{db.actor.address_hash}", MAX_REPORTS_OF_ADDRESS_PER_DAY))
    for subject, most in limits:
        if not grant_today(db, subject, most):
            raise TooManyReports()


def answer(db: Connection, report_id: str, status: ReportStatus, note: str) -> FiledReport:
    """Answer a report, and tell its reporter."""
    note = clean_text(note)
    if len(note) > MAX_NOTE_CHARACTERS:
        raise NoteTooLong()

    answered = reports.answer(db, report_id, status, note, db.actor.account_id)
    events.record(db, "report.answered", "report", report_id, status=status)
    upheld = status == "upheld"
    notify(
        db,
        "report.answered",
        [answered.reporter_id],
        "Your report was upheld" if upheld else "Your report was dismissed",
        note or ("Thank you. A maintainer has acted on it." if upheld else "A maintainer found nothing to act on."),
        None,
        {"report_id": report_id, "status": status},
    )
    return answered
