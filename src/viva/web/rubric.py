"""The rubric form, in which a proctor marks a submission."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import hub_of
from viva.evaluations.model import Evaluation
from viva.evaluations.research import render_exemplars
from viva.exams import marking
from viva.exams.marking import BadMarks, GivenMark, TakenSheet
from viva.exams.marking_locks import NotTaken
from viva.exams.model import ProctorPolicy, SheetRow
from viva.kit.db import Connection
from viva.kit.errors import Fault
from viva.results.model import NamedResult
from viva.web import logins, pages
from viva.web.forms import fields_in, number
from viva.web.origins import check_own_form
from viva.web.wording import path_part

MAX_RUBRIC_FORM_BYTES = 4 * 1024 * 1024  # 200 rows with long reasons; form encoding needs up to 6 bytes for a letter


class RubricLine(NamedTuple):
    """A row of the form, its field values and its faults."""

    row: SheetRow
    mark: str
    reason: str
    evidence: str
    faults: list[str]


@dataclass(frozen=True)
class RubricPage:
    """The evaluation has the version in which the attempt began. It is None if nobody is signed in or has the sheet."""

    at: "FormAddress"
    locked_until: datetime | None = None  # None until the viewer takes the sheet
    evaluation: Evaluation | None = None
    candidate_name: str | None = None
    markings: int = 0
    lines: list[RubricLine] = field(default_factory=list)
    feedback: str = ""
    faults: list[str] = field(default_factory=list)  # of the form as a whole
    exemplars: str = ""  # in Markdown

    @property
    def address(self) -> str:
        return self.at.address

    @property
    def is_wrong(self) -> bool:
        return bool(self.faults) or any(line.faults for line in self.lines)


class FormAddress(NamedTuple):
    """The form that an address names."""

    evaluation: str
    subject_id: str

    @property
    def address(self) -> str:
        return f"/proctor/{path_part(self.evaluation)}/{path_part(self.subject_id)}"


@get("/proctor/{evaluation:str}/{subject_id:str}")
async def show_form(request: Request, evaluation: str, subject_id: str) -> Response[str]:
    return await form_page(request, FormAddress(evaluation, subject_id), {}, (), 200)


async def form_page(
    request: Request, at: FormAddress, written: dict[str, str], faults: tuple[Fault, ...], status: int
) -> Response[str]:
    def read(db: Connection) -> RubricPage:
        viewer = pages.frame_of(request).viewer
        if viewer is None:
            return RubricPage(at)
        try:
            taken = marking.read_form(db, *at, viewer, hub_of(request).proctors)
        except NotTaken:
            return RubricPage(at)
        return rubric_page(db, at, taken, written, faults)

    return await pages.show(request, "proctor/form.html", read, status)


def rubric_page(
    db: Connection, at: FormAddress, taken: TakenSheet, written: dict[str, str], faults: tuple[Fault, ...]
) -> RubricPage:
    paper = taken.paper
    candidate = marking.find_candidate(db, paper)
    return RubricPage(
        at=at,
        locked_until=taken.lock.ends_at,
        evaluation=paper.evaluation,
        candidate_name=candidate.name if candidate else None,
        markings=marking.count_markings(db, paper.sheet),
        lines=[line(row, place, written, faults) for place, row in enumerate(paper.rows)],
        feedback=written.get("feedback", ""),
        faults=[fault.message for fault in faults if not fault.field.startswith("marks[")],
        exemplars=render_exemplars(marking.read_exemplars(db, paper)),
    )


def line(row: SheetRow, place: int, written: dict[str, str], faults: tuple[Fault, ...]) -> RubricLine:
    messages = [fault.message for fault in faults if fault.field.startswith(f"marks[{place}].")]
    return RubricLine(row, *fields_of(place, written), messages)


def fields_of(place: int, written: dict[str, str]) -> tuple[str, str, str]:
    """The mark, the reason and the evidence of a row."""
    return written.get(f"mark-{place}", ""), written.get(f"reason-{place}", ""), written.get(f"evidence-{place}", "")


@post("/proctor/{evaluation:str}/{subject_id:str}", request_max_body_size=MAX_RUBRIC_FORM_BYTES)
async def mark(request: Request, evaluation: str, subject_id: str) -> Response[str] | Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    written = await asyncio.to_thread(fields_in, await request.body())
    at = FormAddress(evaluation, subject_id)

    def unit(db: Connection) -> list[NamedResult] | None:
        viewer = logins.viewer(db, login_hash, request)
        return None if viewer is None else mark_rows(db, at, viewer, written, hub.proctors)

    try:
        results = await pages.write(request, unit)
    except BadMarks as error:
        return await form_page(request, at, written, error.faults, error.status)
    if results is None:
        return Redirect(f"/login?next={path_part(at.address)}", status_code=303)
    return Redirect(
        f"/evaluations/result/{path_part(results[0].id)}" if results else "/proctor?kept=1", status_code=303
    )


def mark_rows(
    db: Connection, at: FormAddress, viewer: Agent, written: dict[str, str], policy: ProctorPolicy
) -> list[NamedResult]:
    rows = marking.open_form(db, *at, viewer, policy).paper.rows
    return marking.give_marks(db, *at, viewer, marks_in(rows, written), written.get("feedback") or None, policy)


def marks_in(rows: list[SheetRow], written: dict[str, str]) -> list[GivenMark]:
    """The marks that the form has for the rows."""
    given = []
    for place, row in enumerate(rows):
        mark, reason, evidence = fields_of(place, written)
        given.append(GivenMark(row.id, number(mark), reason, evidence))
    return given
