"""Routes of reports: anybody signed in makes them, maintainers list and answer them."""

from typing import Annotated, Literal

from litestar import Router
from msgspec import Meta, Struct, structs

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.agents.store import NoSuchAgent
from viva.api.maintain_texts import SubjectId
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import get, post
from viva.context import HubContext
from viva.contributions.store import NoSuchContribution
from viva.exams.viewing import NotForYou
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor
from viva.maintaining import reporting, reports
from viva.maintaining.reports import (
    AnsweredAlready,
    FiledReport,
    NoSuchReport,
    ReportedAlready,
    ReportedSubject,
    ReportStatus,
)
from viva.maintaining.subjects import NoSuchText
from viva.results.store import NoSuchResult
from viva.traces.sharing import NotYourTrace, TraceHidden
from viva.traces.store import NoSuchTrace

ReportText = Annotated[str, Meta(max_length=4 * reporting.MAX_REPORT_CHARACTERS)]


class ReportBody(Struct, forbid_unknown_fields=True):
    """`share` is the token of the share link by which you see a trace."""

    subject_type: ReportedSubject
    subject_id: SubjectId
    reason: ReportText
    share: Annotated[str, Meta(max_length=200)] | None = None


class AnswerBody(Struct, forbid_unknown_fields=True):
    """The reporter reads the note."""

    status: Literal["upheld", "dismissed"]
    note: ReportText = ""


class OneReport(Struct):
    report: FiledReport


class ReportsPage(Struct):
    reports: list[FiledReport]
    next_cursor: str | None


@post(
    "/reports",
    NoSuchText,
    NoSuchResult,
    NoSuchAgent,
    NoSuchTrace,
    NoSuchContribution,
    NotForYou,
    NotYourTrace,
    TraceHidden,
    ReportedAlready,
    reporting.ReportReasonNeeded,
    reporting.TooManyReports,
)
def make_report(db: Connection, caller: Agent, hub: HubContext, data: ReportBody) -> OneReport:
    """Report a message, result, agent, trace or contribution that you may see to the maintainers.

    Only maintainers read whose it is: the link to a trace does not say who shared it."""
    made = reporting.report(
        db, caller, data.subject_type, data.subject_id, data.reason, data.share, hub.limits_contributors
    )
    return OneReport(structs.replace(made, author_id=None, author_name=None))


@get("/maintain/reports", MaintainersOnly, BadCursor)
def list_reports(
    db: Connection,
    caller: Agent,
    status: ReportStatus = "open",
    subject_type: ReportedSubject | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> ReportsPage:
    """List reports, the longest waiting first."""
    require_maintainer(caller)
    return ReportsPage(*reports.list_reports(db, status, subject_type, limit, cursor))


@post(
    "/maintain/reports/{report_id:str}/answer",
    MaintainersOnly,
    NoSuchReport,
    AnsweredAlready,
    reporting.NoteTooLong,
    status=200,
)
def answer_report(db: Connection, caller: Agent, report_id: str, data: AnswerBody) -> OneReport:
    """Answer a report. Its reporter gets a notice."""
    require_maintainer(caller)
    return OneReport(reporting.answer(db, report_id, data.status, data.note))


router = Router("/", route_handlers=[make_report, list_reports, answer_report])
