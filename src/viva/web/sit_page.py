"""The page on which a person sits an evaluation: what it takes, the attempt itself, the wait, and the verdict."""

import hashlib
from dataclasses import dataclass
from typing import Literal, NamedTuple

import msgspec
from litestar import Request, Response, get
from litestar.response import Redirect

from viva.agents import logins as stored_logins
from viva.agents.model import Agent
from viva.context import HubContext, hub_of
from viva.evaluations.model import Evaluation
from viva.exams import attempts, challenges, outlook, prospects, sheets, store, submitting, visibility
from viva.exams.model import Challenge, Exam, Registration
from viva.exams.open_registrations import STATE_CHARACTERS, OpenRegistration, find_open_registration
from viva.exams.outlook import Outlook
from viva.exams.progress import find_fetch_failure
from viva.exams.prospects import Prospect
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.results import store as results
from viva.results.model import NamedResult
from viva.web import logins, pages
from viva.web.sit_fields import SitForm, fill_fields
from viva.web.sit_forms import form_of
from viva.web.wording import path_part

SitStep = Literal["signed_out", "before", "registered", "answering", "overdue", "proctor", "marking"]


class LastAttempt(NamedTuple):
    """How the viewer's last attempt ended."""

    registration: Registration
    result: NamedResult | None
    failure: str | None = None  # of the hub, which then ended the attempt


@dataclass(frozen=True)
class TriedSit:
    """What was sent and refused: the message, the form as it was written, and whether it is complete."""

    message: str = ""
    form: SitForm | None = None
    asks_to_confirm: bool = False  # some items have no answer


@dataclass(frozen=True)
class SitPage:
    evaluation: Evaluation  # in its current version
    step: SitStep
    outlook: Outlook
    prospect: Prospect  # of an attempt that is not practice
    registration: OpenRegistration | None
    last: LastAttempt | None
    form: SitForm | None
    seconds_left: float | None
    waits_for: str | None  # `judges` or `proctors`, if a sheet is open
    state: str
    tried: TriedSit

    @property
    def here(self) -> str:
        return here(self.evaluation.id)

    @property
    def name(self) -> str:
        return self.evaluation.title or self.evaluation.name


class TakesPlaceElsewhere(NotFound):
    """The attempt takes place on another page."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address


class OpenAttempt(NamedTuple):
    exam: Exam
    challenge: Challenge
    form: SitForm


def here(evaluation_id: str) -> str:
    return f"/evaluations/{path_part(evaluation_id)}/sit"


@get("/evaluations/{sip:str}/sit")
async def show_sit(request: Request, sip: str) -> Response[str] | Redirect:
    return await answer(request, sip, TriedSit(), 200)


async def answer(request: Request, sip: str, tried: TriedSit, status: int) -> Response[str] | Redirect:
    """Show the page, or redirect to the session or the class in which the attempt takes place."""
    hub, login_hash = hub_of(request), logins.login_hash_of(request, hub_of(request))

    def read(db: Connection) -> SitPage:
        return sit_page(db, hub, sip, pages.frame_of(request).viewer, login_hash, tried)

    try:
        return await pages.show(request, "sit/show.html", read, status)
    except TakesPlaceElsewhere as elsewhere:
        return Redirect(elsewhere.address, status_code=303)


def sit_page(
    db: Connection, hub: HubContext, sip: str, viewer: Agent | None, login_hash: str | None, tried: TriedSit
) -> SitPage:
    evaluation = visibility.get_evaluation(db, sip, viewer)
    registration = find_open_registration(db, viewer.id, evaluation.id) if viewer else None
    step = step_of(viewer, registration)
    open_ = open_attempt(db, hub, evaluation, viewer, login_hash) if viewer and step == "answering" else None
    return SitPage(
        evaluation=evaluation,
        step=step,
        outlook=outlook.foresee_attempt(db, evaluation, viewer),
        prospect=prospects.foresee_for(db, hub.proctors, evaluation, viewer),
        registration=registration,
        last=read_last(db, viewer, evaluation.id) if viewer and registration is None else None,
        form=tried.form or (open_.form if open_ else None),
        seconds_left=(open_.challenge.expires_at - now()).total_seconds() if open_ else None,
        waits_for=read_marker(db, registration) if step == "marking" else None,
        state=read_state(db, viewer.id, evaluation.id) if viewer else "",
        tried=tried,
    )


def step_of(viewer: Agent | None, registration: OpenRegistration | None) -> SitStep:
    """Where the attempt stands; or TakesPlaceElsewhere."""
    if viewer is None:
        return "signed_out"
    if registration is None:
        return "before"
    if registration.next_step == "talk":
        raise TakesPlaceElsewhere(f"/sessions/{path_part(registration.session_id or '')}")
    if registration.cohort_id and not registration.is_submitted:
        raise TakesPlaceElsewhere(f"/classes/{path_part(registration.cohort_id)}")
    if registration.next_step == "submit":
        is_over = registration.deadline is not None and registration.deadline <= now()
        return "overdue" if is_over else "answering"
    if registration.next_step == "wait":
        return "marking" if registration.is_submitted else "proctor"
    return "registered"


def open_attempt(
    db: Connection, hub: HubContext, evaluation: Evaluation, viewer: Agent, login_hash: str | None
) -> OpenAttempt:
    """The attempt with its form, filled with what the hub has saved."""
    key_hash = stored_logins.find_key_hash(db, login_hash or "") or ""
    exam = submitting.exam_of(db, hub, evaluation.id, viewer, key_hash)
    challenge = challenges.get_of(db, exam.registration.id)
    form = form_of(exam.evaluation).make_form(exam, challenge)
    return OpenAttempt(exam, challenge, fill_fields(form, attempts.read_answers(db, exam.registration.id)))


def read_last(db: Connection, viewer: Agent, evaluation_id: str) -> LastAttempt | None:
    registration = store.find_last(db, viewer.id, evaluation_id)
    if registration is None:
        return None
    result_id = results.find_id(db, registration.id)
    failure = find_fetch_failure(db, registration.id, viewer) if registration.status == "cancelled" else None
    return LastAttempt(registration, results.get(db, result_id) if result_id else None, failure)


def read_marker(db: Connection, registration: OpenRegistration | None) -> str | None:
    job_id = registration.job_id if registration else None
    return sheets.find_status_of_job(db, job_id) if job_id else None


def read_state(db: Connection, agent_id: str, evaluation_id: str) -> str:
    """A text that is another one as soon as the agent's place in the evaluation is."""
    registration = find_open_registration(db, agent_id, evaluation_id)
    place = registration, read_marker(db, registration), store.find_last_status(db, agent_id, evaluation_id)
    return hashlib.sha256(msgspec.json.encode(place)).hexdigest()[:STATE_CHARACTERS]
