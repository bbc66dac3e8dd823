"""Pages of a proctor: what waits for marks, and the rubric form."""

import asyncio
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qs

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams import marking, waiting_list
from viva.exams.marking import BadMarks, GivenMark
from viva.exams.model import Paper, Row
from viva.exams.waiting_list import Awaited
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid
from viva.results.model import NamedResult
from viva.web import logins, pages
from viva.web.origins import check_own_form
from viva.web.queries import word
from viva.web.site import site_of
from viva.web.wording import path_part

SHOWN = 100  # of each kind that waits
MOST_BYTES = 4 * 1024 * 1024  # of a form: 200 rows with long reasons in letters that a form spells in six
MOST_FIELDS = 5_000  # of a form
NOT_A_NUMBER = float("nan")  # stands for what is none, so that one rule refuses both


class UnreadableForm(Invalid):
    """This form cannot be read; it is larger than any that this page sends."""


@dataclass(frozen=True)
class ProctorPage:
    to_mark: list[Awaited] = field(default_factory=list)
    to_claim: list[Awaited] = field(default_factory=list)
    was_kept: bool = False  # marks were, and another proctor's are waited for


class Line(NamedTuple):
    """A row of the form, what was written in its fields, and what is wrong with it."""

    row: Row
    mark: str
    reason: str
    evidence: str
    faults: list[str]


@dataclass(frozen=True)
class RubricPage:
    """The evaluation is as it was when the work began; None where nobody is signed in."""

    address: str
    evaluation: Evaluation | None = None
    candidate_name: str | None = None
    markings: int = 0
    lines: list[Line] = field(default_factory=list)
    feedback: str = ""
    faults: list[str] = field(default_factory=list)  # of the form as a whole

    @property
    def is_wrong(self) -> bool:
        return bool(self.faults) or any(line.faults for line in self.lines)


class FormAddress(NamedTuple):
    """Which form, as its address says."""

    evaluation: str
    subject_id: str

    @property
    def address(self) -> str:
        return f"/proctor/{path_part(self.evaluation)}/{path_part(self.subject_id)}"


@get("/proctor")
async def list_waiting(request: Request) -> Response[str]:
    was_kept = word(request, "kept") != ""
    return await pages.show(request, "proctor/list.html", lambda db: proctor_page(db, viewer_of(request), was_kept))


def viewer_of(request: Request) -> Agent | None:
    viewer: Agent | None = request.state.frame.viewer
    return viewer


def proctor_page(db: Connection, viewer: Agent | None, was_kept: bool) -> ProctorPage:
    if viewer is None:
        return ProctorPage()
    return ProctorPage(
        waiting_list.to_mark(db, viewer.id, SHOWN), waiting_list.to_claim(db, viewer.id, SHOWN), was_kept
    )


@get("/proctor/{evaluation:str}/{subject_id:str}")
async def show_form(request: Request, evaluation: str, subject_id: str) -> Response[str]:
    return await form_page(request, FormAddress(evaluation, subject_id), {}, (), 200)


async def form_page(
    request: Request, at: FormAddress, written: dict[str, str], faults: tuple[Fault, ...], status: int
) -> Response[str]:
    def read(db: Connection) -> RubricPage:
        viewer = viewer_of(request)
        if viewer is None:
            return RubricPage(at.address)
        paper = marking.form(db, *at, viewer)
        return rubric_page(db, at, paper, written, faults)

    return await pages.show(request, "proctor/form.html", read, status)


def rubric_page(
    db: Connection, at: FormAddress, paper: Paper, written: dict[str, str], faults: tuple[Fault, ...]
) -> RubricPage:
    candidate = marking.candidate_of(db, paper)
    return RubricPage(
        address=at.address,
        evaluation=paper.evaluation,
        candidate_name=candidate.name if candidate else None,
        markings=marking.count_of(db, paper.sheet),
        lines=[line(row, place, written, faults) for place, row in enumerate(paper.rows)],
        feedback=written.get("feedback", ""),
        faults=[fault.message for fault in faults if not fault.field.startswith("marks[")],
    )


def line(row: Row, place: int, written: dict[str, str], faults: tuple[Fault, ...]) -> Line:
    told = [fault.message for fault in faults if fault.field.startswith(f"marks[{place}].")]
    return Line(row, *fields_of(place, written), told)


def fields_of(place: int, written: dict[str, str]) -> tuple[str, str, str]:
    """The mark, the reason and the evidence as they were written."""
    return written.get(f"mark-{place}", ""), written.get(f"reason-{place}", ""), written.get(f"evidence-{place}", "")


@post("/proctor/{evaluation:str}/{subject_id:str}", request_max_body_size=MOST_BYTES)
async def mark(request: Request, evaluation: str, subject_id: str) -> Response[str] | Redirect:
    check_own_form(request)
    site = site_of(request)
    key_hash = await pages.admitted(request, site)
    written = await asyncio.to_thread(fields_in, await request.body())
    at = FormAddress(evaluation, subject_id)

    def unit(db: Connection) -> list[NamedResult] | None:
        viewer = logins.viewer(db, key_hash)
        return None if viewer is None else marked(db, at, viewer, written)

    try:
        results = await site.database.write(unit)
    except BadMarks as error:
        return await form_page(request, at, written, error.faults, error.status)
    if results is None:
        return Redirect("/login", status_code=303)
    return Redirect(
        f"/evaluations/result/{path_part(results[0].id)}" if results else "/proctor?kept=1", status_code=303
    )


def marked(db: Connection, at: FormAddress, viewer: Agent, written: dict[str, str]) -> list[NamedResult]:
    given = []
    for place, row in enumerate(marking.form(db, *at, viewer).rows):
        mark, reason, evidence = fields_of(place, written)
        given.append(GivenMark(row.id, number(mark), reason, evidence))
    return marking.mark(db, *at, viewer, given, written.get("feedback") or None)


def fields_in(form: bytes) -> dict[str, str]:
    try:
        found = parse_qs(form.decode(errors="replace"), max_num_fields=MOST_FIELDS)
    except ValueError:
        raise UnreadableForm() from None
    # Databases keep no null characters.
    return {name: values[0].replace("\0", "").replace("\r\n", "\n").strip() for name, values in found.items()}


def number(text: str) -> float:
    """Also with a decimal comma, which some browsers leave as it was typed."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return NOT_A_NUMBER
