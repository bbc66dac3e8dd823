"""The queue of reports for maintainers: filters, bulk choice and answers."""

from dataclasses import dataclass
from typing import cast, get_args

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.kit.db import Connection
from viva.kit.errors import Invalid
from viva.kit.paging import DEFAULT_PAGE_ITEMS, Page
from viva.maintaining import reporting, reports
from viva.maintaining.reports import FiledReport, ReportedSubject, ReportStatus
from viva.web.maintain_access import (
    MAINTAIN_PATH,
    MAX_MAINTAIN_FORM_BYTES,
    MaintainForm,
    act_as_maintainer,
    show_to_maintainer,
)
from viva.web.queries import count, cursor, word
from viva.web.reporting import subject_path
from viva.web.wording import address

REPORTS_PATH = f"{MAINTAIN_PATH}/reports"
MAX_ANSWERED_AT_ONCE = 200
STATUSES = {"open": "Open", "upheld": "Upheld", "dismissed": "Dismissed"}


class NoReportChosen(Invalid):
    """Choose at least one report, and whether you uphold or dismiss it."""


@dataclass(frozen=True)
class ReportsQueuePage:
    status: str
    subject_type: str
    found: Page[FiledReport]
    cursor: str | None
    notice: str = ""
    fault: str = ""
    note: str = ""
    statuses: tuple[tuple[str, str], ...] = tuple(STATUSES.items())
    subject_types: tuple[str, ...] = get_args(ReportedSubject)

    def here(self, **changes: object) -> str:
        """The address of this list with changed parameters, at its first page."""
        return address(REPORTS_PATH, **({"status": self.status, "type": self.subject_type} | changes))

    def path_of(self, report: FiledReport) -> str:
        return subject_path(report.subject_type, report.subject_id)


@get(REPORTS_PATH)
async def list_reports(request: Request) -> Response[str] | Redirect:
    status, subject_type, at = word(request, "status"), word(request, "type"), cursor(request)
    answered = count(request, "answered")
    notice = f"Answered {answered:,} {'report' if answered == 1 else 'reports'}." if answered else ""
    return await show_to_maintainer(
        request, "maintain/reports.html", lambda db: queue_page(db, status, subject_type, at, notice)
    )


def queue_page(
    db: Connection, status: str, subject_type: str, at: str | None, notice: str = "", fault: str = "", note: str = ""
) -> ReportsQueuePage:
    status = status if status in STATUSES else "open"
    subject_type = subject_type if subject_type in get_args(ReportedSubject) else ""
    found = reports.list_reports(db, status, subject_type or None, DEFAULT_PAGE_ITEMS, at)
    return ReportsQueuePage(status, subject_type, found, at, notice, fault, note)


def answer_chosen(db: Connection, form: MaintainForm) -> str:
    """Give all chosen reports the same answer."""
    chosen = sorted(set(form.values("report")))[:MAX_ANSWERED_AT_ONCE]
    status = form.field("answer")
    if not chosen or status not in ("upheld", "dismissed"):
        raise NoReportChosen()
    for report_id in chosen:
        reporting.answer(db, report_id, cast(ReportStatus, status), form.field("note"))
    return address(REPORTS_PATH, answered=len(chosen), type=form.field("type"))


@post(REPORTS_PATH, request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def answer_reports(request: Request) -> Response[str] | Redirect:
    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        note, subject_type = form.field("note"), form.field("type")
        return await show_to_maintainer(
            request,
            "maintain/reports.html",
            lambda db: queue_page(db, "open", subject_type, None, "", fault, note),
            status,
        )

    return await act_as_maintainer(request, answer_chosen, show_refusal)
