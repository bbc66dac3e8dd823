"""The form of a second reading, in which a marker decides without knowing the verdict."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.context import hub_of
from viva.evaluations.model import Evaluation
from viva.exams import rereading
from viva.exams.marking_locks import NotTaken
from viva.exams.proctored_rows import GivenReading
from viva.exams.rereading import TakenReading
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid
from viva.results.second_readings import SecondReading
from viva.sessions import store as sessions
from viva.sessions.model import Message
from viva.web import logins, pages
from viva.web.forms import fields_in, number
from viva.web.origins import check_own_form
from viva.web.queries import count
from viva.web.rubric import MAX_RUBRIC_FORM_BYTES, RubricLine, line, marks_in
from viva.web.wording import path_part

MESSAGES_ON_PAGE = 200
PASSED_VALUES = {"yes": True, "no": False}


class ReadingAddress(NamedTuple):
    """The reading that an address names."""

    evaluation: str
    reading_id: str

    @property
    def address(self) -> str:
        return f"/proctor/readings/{path_part(self.evaluation)}/{path_part(self.reading_id)}"


@dataclass(frozen=True)
class ReadingPage:
    """The evaluation has the version in which the attempt began. It is None until the viewer has taken the reading."""

    at: ReadingAddress
    evaluation: Evaluation | None = None
    locked_until: datetime | None = None
    lines: list[RubricLine] = field(default_factory=list)
    asks_for_verdict: bool = False
    asks_for_score: bool = False
    messages: list[Message] = field(default_factory=list)  # shown with their roles alone
    next_since: int | None = None
    procedure: str = ""  # in Markdown
    passed: str = ""
    score: str = ""
    feedback: str = ""
    faults: list[str] = field(default_factory=list)  # of the form as a whole

    @property
    def is_wrong(self) -> bool:
        return bool(self.faults) or any(line.faults for line in self.lines)


class TriedReading(NamedTuple):
    """A form that was sent, and what was wrong with it."""

    written: dict[str, str]
    faults: tuple[Fault, ...]


NOT_TRIED = TriedReading({}, ())


@get("/proctor/readings/{evaluation:str}/{reading_id:str}")
async def show_reading(request: Request, evaluation: str, reading_id: str) -> Response[str]:
    return await form_page(request, ReadingAddress(evaluation, reading_id), NOT_TRIED, 200)


async def form_page(request: Request, at: ReadingAddress, tried: TriedReading, status: int) -> Response[str]:
    since = count(request, "since")

    def read(db: Connection) -> ReadingPage:
        viewer = pages.frame_of(request).viewer
        if viewer is None:
            return ReadingPage(at)
        try:
            taken = rereading.read_form(db, *at, viewer, hub_of(request).proctors)
        except NotTaken:
            return ReadingPage(at)
        return reading_page(db, at, taken, tried, since)

    return await pages.show(request, "proctor/reading.html", read, status)


def reading_page(
    db: Connection, at: ReadingAddress, taken: TakenReading, tried: TriedReading, since: int
) -> ReadingPage:
    form, (written, faults) = taken.form, tried
    messages = sessions.transcript(db, form.session_id, since, MESSAGES_ON_PAGE) if form.session_id else []
    last = messages[-1].sequence if messages else 0
    has_more = bool(messages) and last < sessions.read_state(db, form.session_id or "").message_count
    return ReadingPage(
        at=at,
        evaluation=form.evaluation,
        locked_until=taken.lock.ends_at,
        lines=[line(row, place, written, faults) for place, row in enumerate(form.rows)],
        asks_for_verdict=form.asks_for_verdict,
        asks_for_score=form.asks_for_score,
        messages=messages,
        next_since=last if has_more else None,
        procedure=form.procedure,
        passed=written.get("passed", ""),
        score=written.get("score", ""),
        feedback=written.get("feedback", ""),
        faults=[fault.message for fault in faults if not fault.field.startswith("marks[")],
    )


@post("/proctor/readings/{evaluation:str}/{reading_id:str}", request_max_body_size=MAX_RUBRIC_FORM_BYTES)
async def give_reading(request: Request, evaluation: str, reading_id: str) -> Response[str] | Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    written = await asyncio.to_thread(fields_in, await request.body())
    at = ReadingAddress(evaluation, reading_id)

    def unit(db: Connection) -> SecondReading | None:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return None
        taken = rereading.open_form(db, *at, viewer, hub.proctors)
        return rereading.give_verdict(db, *at, viewer, given_in(taken, written), hub.proctors)

    try:
        given = await pages.write(request, unit)
    except Invalid as error:
        return await form_page(request, at, TriedReading(written, error.faults), error.status)
    return Redirect("/proctor?read=1" if given else f"/login?next={path_part(at.address)}", status_code=303)


def given_in(taken: TakenReading, written: dict[str, str]) -> GivenReading:
    form = taken.form
    return GivenReading(
        marks=marks_in(form.rows, written),
        passed=PASSED_VALUES.get(written.get("passed", "")),
        score=number(written.get("score", "")) if form.asks_for_score else None,
        feedback=written.get("feedback") or None,
    )
