"""Reporting something to the maintainers. A maintainer can hide it here at once."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast, get_args

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.context import hub_of
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Invalid, NotFound, TooMany
from viva.maintaining import hiding, reporting, voiding
from viva.maintaining.hidden_texts import HiddenSubject
from viva.maintaining.reports import ReportedSubject
from viva.maintaining.subjects import read_message
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
PUBLIC_PATHS = {"result": SUBJECT_PATHS["result"], "agent": "/u/{}", "trace": SUBJECT_PATHS["trace"]}
MAX_QUOTE_CHARACTERS = 500
# What a maintainer hides when the report is about this.
HIDEABLE_SUBJECTS = {
    "message": ("message",),
    "result": ("feedback",),
    "agent": ("name", "description"),
    "trace": ("trace",),
}


# What else is hidden with it.
HIDEABLE_WORDS = {
    "feedback": "feedback, with the notes and quotes of markers",
    "description": "description, owner, model, framework and version",
}


class NoSuchSubject(NotFound):
    """Reports are about a message, result, agent, trace or contribution."""


class ShownSubject(NamedTuple):
    """What a report is about: who made it, where it stands, and the words of a message."""

    author: str
    path: str
    quote: str


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
    subject: ShownSubject | None = None  # None if nobody is signed in
    hideable_words: dict[str, str] = field(default_factory=lambda: HIDEABLE_WORDS)
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
    done = "It is hidden." if word(request, "hidden") else ""
    return await show_page(request, replace(page, is_sent=bool(word(request, "sent")), done=done), 200)


async def show_page(request: Request, page: ReportFormPage, status: int) -> Response[str]:
    def read(db: Connection) -> ReportFormPage:
        viewer = pages.frame_of(request).viewer
        return replace(page, subject=subject_of(db, page, viewer)) if viewer else page

    return await pages.show(request, "report.html", read, status)


def subject_of(db: Connection, page: ReportFormPage, viewer: Agent) -> ShownSubject:
    """The subject as the viewer may see it."""
    find = reporting.REPORTED_SUBJECTS[cast(ReportedSubject, page.subject_type)]
    thing = find(db, page.subject_id, viewer, page.share or None)
    author = agents.names(db, [thing.author_id]).get(thing.author_id, "") if thing.author_id else ""
    path = PUBLIC_PATHS.get(page.subject_type, "").format(
        path_part(author if page.subject_type == "agent" else thing.id)
    )
    quote = read_message(db, thing.id).text if page.subject_type == "message" else ""
    return ShownSubject(author, address(path, share=page.share) if path else "", quote[:MAX_QUOTE_CHARACTERS])


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
    return await show_page(request, replace(page, fault=fault, reason=reason), status)


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
