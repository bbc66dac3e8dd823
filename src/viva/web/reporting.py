"""Reporting something to the maintainers. A maintainer can hide it here at once."""

from dataclasses import dataclass
from typing import cast, get_args

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Invalid, NotFound, TooMany
from viva.maintaining import hiding, reporting, voiding
from viva.maintaining.hidden_texts import HiddenSubject
from viva.maintaining.reports import ReportedSubject
from viva.web import logins, pages
from viva.web.forms import fields_in, refusal_text
from viva.web.maintain_access import MaintainForm, act_as_maintainer
from viva.web.origins import check_own_form
from viva.web.queries import word
from viva.web.wording import address, path_part

MAX_REPORT_FORM_BYTES = 64 * 1024
SUBJECT_WORDS = {
    "message": "a message",
    "result": "a result",
    "agent": "an agent",
    "trace": "a trace",
    "contribution": "a proposed evaluation",
}
# Where each kind of thing is shown. A message has no page of its own.
SUBJECT_PATHS = {
    "message": "/maintain/messages/{}",
    "result": "/evaluations/result/{}",
    "agent": "/maintain/agents/{}",
    "trace": "/traces/{}",
    "contribution": "/evaluations/contribute/review/{}",
}
# What a maintainer hides when the report is about this.
HIDEABLE_SUBJECTS = {
    "message": ("message",),
    "result": ("feedback",),
    "agent": ("name", "description"),
    "trace": ("trace",),
}


class NoSuchSubject(NotFound):
    """Reports are about a message, result, agent, trace or contribution."""


@dataclass(frozen=True)
class ReportFormPage:
    subject_type: str
    subject_id: str
    share: str
    words: str
    is_sent: bool = False
    done: str = ""
    fault: str = ""
    reason: str = ""
    max_characters: int = reporting.MAX_REPORT_CHARACTERS

    @property
    def hideable(self) -> tuple[str, ...]:
        return HIDEABLE_SUBJECTS.get(self.subject_type, ())

    @property
    def here(self) -> str:
        return report_path(self.subject_type, self.subject_id, self.share)


def report_path(subject_type: str, subject_id: str, share: str = "") -> str:
    return address("/report", type=subject_type, id=subject_id, share=share)


def subject_path(subject_type: str, subject_id: str) -> str:
    return SUBJECT_PATHS[subject_type].format(path_part(subject_id))


def read_page(subject_type: str, subject_id: str, share: str) -> ReportFormPage:
    if subject_type not in SUBJECT_WORDS or not subject_id:
        raise NoSuchSubject()
    return ReportFormPage(subject_type, subject_id, share, SUBJECT_WORDS[subject_type])


@get("/report")
async def show_report(request: Request) -> Response[str] | Redirect:
    page = read_page(word(request, "type"), word(request, "id"), word(request, "share"))
    shown = ReportFormPage(
        page.subject_type,
        page.subject_id,
        page.share,
        page.words,
        is_sent=bool(word(request, "sent")),
        done="It is hidden." if word(request, "hidden") else "",
    )
    return await pages.show(request, "report.html", lambda db: shown)


@post("/report", request_max_body_size=MAX_REPORT_FORM_BYTES)
async def send_report(request: Request) -> Response[str] | Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    fields = fields_in(await request.body())
    page = read_page(fields.get("type", ""), fields.get("id", "")[:200], fields.get("share", "")[:200])

    def unit(db: Connection) -> str:
        reporter = logins.viewer(db, login_hash, request)
        if reporter is None:
            return address("/login", next=page.here)
        subject_type = cast(ReportedSubject, page.subject_type)
        reason, share = fields.get("reason", ""), page.share or None
        reporting.report(db, reporter, subject_type, page.subject_id, reason, share, hub.limits_contributors)
        return f"{page.here}&sent=1"

    try:
        return Redirect(await pages.write(request, unit), status_code=303)
    except (Conflict, Invalid, TooMany) as error:
        return await show_refusal(request, page, refusal_text(error), fields.get("reason", ""), error.status)


async def show_refusal(request: Request, page: ReportFormPage, fault: str, reason: str, status: int) -> Response[str]:
    shown = ReportFormPage(page.subject_type, page.subject_id, page.share, page.words, fault=fault, reason=reason)
    return await pages.show(request, "report.html", lambda db: shown, status)


@post("/maintain/hide", request_max_body_size=MAX_REPORT_FORM_BYTES)
async def hide_subject(request: Request) -> Response[str] | Redirect:
    """Hide what the form names: a message, feedback, name, description or trace."""

    def act(db: Connection, form: MaintainForm) -> str:
        page = read_page(form.field("type"), form.field("id"), "")
        if form.field("what") not in get_args(HiddenSubject) or form.field("what") not in page.hideable:
            raise NoSuchSubject()
        hiding.hide(db, cast(HiddenSubject, form.field("what")), page.subject_id, form.field("reason"))
        return f"{page.here}&hidden=1"

    async def show_again(fault: str, form: MaintainForm, status: int) -> Response[str]:
        page = read_page(form.field("type"), form.field("id"), "")
        return await show_refusal(request, page, fault, form.field("reason"), status)

    return await act_as_maintainer(request, act, show_again)


@post("/maintain/void", request_max_body_size=MAX_REPORT_FORM_BYTES)
async def void_result(request: Request) -> Response[str] | Redirect:
    """Void the result that the form names."""

    def act(db: Connection, form: MaintainForm) -> str:
        return f"/evaluations/result/{path_part(voiding.void(db, form.field('id'), form.field('reason')).id)}"

    async def show_again(fault: str, form: MaintainForm, status: int) -> Response[str]:
        return await show_refusal(request, read_page("result", form.field("id"), ""), fault, "", status)

    return await act_as_maintainer(request, act, show_again)
