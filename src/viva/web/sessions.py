"""The page of one session: its live conversation, and the forms of its participants."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.context import hub_of
from viva.evaluations import catalogue, research
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import cohorts, revealing, viewing, waiting_worth
from viva.exams import store as exams
from viva.exams.handlers.live_class_work import config_of
from viva.exams.model import Cohort, ProctorPolicy
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Fault, Forbidden, Unauthorized, VivaError
from viva.kit.ids import new_id
from viva.results import store as results
from viva.results.official import Worth
from viva.sessions import store
from viva.sessions.model import Message, Participant, Session
from viva.web import pages
from viva.web.conversations import CHARACTERS_PER_PAGE, MESSAGES_PER_PAGE, ShownMessage
from viva.web.queries import MAX_QUERY_NUMBER, count
from viva.web.verdict_form import VerdictForm, form_criteria, form_of, prompts_in
from viva.web.wording import address, path_part

PRESERVED_FIELDS = ("content", "feedback", "score")  # their texts are shown again if a form fails


@dataclass(frozen=True)
class TriedForm:
    """A form that was refused: its name, what was written in it, and its faults."""

    form: str = ""
    written: dict[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    @property
    def left_over(self) -> list[str]:
        """The written texts, for the case that the page no longer has the form."""
        notes = [name for name in self.written if name.startswith("note-")]
        return [self.written[name] for name in (*PRESERVED_FIELDS, *notes) if self.written.get(name)]


class SessionClock(NamedTuple):
    """The time that is left: of a class, or until silence ends an exam. A message starts `limit_seconds` of silence anew."""

    label: str
    seconds: float
    ends_at: datetime | None = None
    limit_seconds: float | None = None


class Composer(NamedTuple):
    content: str
    prompts: list[str]
    prompt_id: str
    fault: str
    once: str  # a token, so that a repeated form sends the message once


class SessionWindow(NamedTuple):
    """Which part of the conversation is shown: what stands before a message, or a page that contains one."""

    before: int
    message: int = 0


@dataclass(frozen=True)
class LiveTranscript:
    """One page of the conversation. New messages are added to the last page."""

    messages: list[ShownMessage]
    count: int

    @property
    def last(self) -> int:
        return self.messages[-1].message.sequence if self.messages else 0

    @property
    def is_latest(self) -> bool:
        return self.last >= self.count

    @property
    def earlier(self) -> int | None:
        """The previous page ends before this message."""
        first = self.messages[0].message.sequence if self.messages else 1
        return first if first > 1 else None


@dataclass(frozen=True)
class SessionPage:
    session: Session
    evaluation: Evaluation  # as it was when the exam or the class began
    participants: list[Participant]
    transcript: LiveTranscript
    role: str | None  # the viewer's
    seconds: float  # since the start, or from start to end
    silence_seconds: float | None  # after which an exam ends, told to both sides of it
    clock: SessionClock | None
    cohort: Cohort | None
    task: str  # of a class
    result_id: str | None
    ending: str | None  # why it ended
    composer: Composer | None
    worth: Worth | None  # of the verdict, told to both sides of a running exam
    verdict: VerdictForm | None
    procedure: str  # in Markdown, for the proctor who decides
    exemplars: str  # in Markdown, for the proctor who decides
    tried: TriedForm

    @property
    def here(self) -> str:
        return here(self.session.id)

    def before(self, sequence: int) -> str:
        return address(self.here, before=sequence)


@dataclass(frozen=True)
class ClosedPage:
    """A session that the visitor may not read."""

    message: str
    sign_in: str
    left_over: list[str]


def here(session_id: str) -> str:
    return f"/sessions/{path_part(session_id)}"


@get("/sessions/{session_id:str}")
async def show_session(request: Request, session_id: str) -> Response[str]:
    return await answer(request, session_id, TriedForm(), 200)


async def answer(request: Request, session_id: str, tried: TriedForm, status: int) -> Response[str]:
    """Show the page, or a page that says who may read the session."""
    where = SessionWindow(count(request, "before") or MAX_QUERY_NUMBER, count(request, "message"))

    def read(db: Connection) -> SessionPage:
        return session_page(db, hub_of(request).proctors, session_id, pages.frame_of(request).viewer, where, tried)

    try:
        return await pages.show(request, "sessions/show.html", read, status)
    except (Unauthorized, Forbidden) as error:
        closed = ClosedPage(explain_error(error), address("/login", next=here(session_id)), tried.left_over)
        return await pages.show(request, "sessions/closed.html", lambda db: closed, error.status)


def explain_error(error: VivaError) -> str:
    """The message for a person. That of the API speaks about a key in a header."""
    return "Sign in to see this session." if isinstance(error, Unauthorized) else str(error)


def session_page(
    db: Connection, policy: ProctorPolicy, session_id: str, viewer: Agent | None, where: SessionWindow, tried: TriedForm
) -> SessionPage:
    session = viewing.get_session_by_id(db, session_id, viewer)
    cohort = cohort_of(db, session)
    evaluation = evaluation_of(db, session, cohort)
    participants = store.list_participants(db, session.id)
    own = next((participant for participant in participants if viewer and participant.agent_id == viewer.id), None)
    may_act = own is not None and own.left_at is None and session.status == "active"
    worth = worth_of_session(db, policy, session, participants) if own and may_act else None
    silence_seconds = evaluation.claim_minutes * 60 if may_act and session.kind == "proctored" else None
    return SessionPage(
        session=session,
        evaluation=evaluation,
        participants=participants,
        transcript=read_transcript(db, session, participants, where),
        role=own.role if own else None,
        seconds=seconds_of(session, now()),
        silence_seconds=silence_seconds,
        clock=clock_of(session, cohort, silence_seconds),
        cohort=cohort,
        task=config_of(evaluation).task if cohort else "",
        result_id=results.find_id(db, session.registration_id),
        ending=ending_of(db, session, cohort),
        composer=composer(evaluation, own, tried) if own and may_act else None,
        worth=worth,
        verdict=verdict(evaluation, tried, worth) if own and worth and own.role == "proctor" else None,
        procedure=procedure_of(db, policy, evaluation, viewer) if own and may_act and own.role == "proctor" else "",
        exemplars=exemplars_of(db, policy, evaluation, viewer) if own and may_act and own.role == "proctor" else "",
        tried=tried,
    )


def cohort_of(db: Connection, session: Session) -> Cohort | None:
    return cohorts.find_of_session(db, session.id) if session.kind == "live_class_work" else None


def evaluation_of(db: Connection, session: Session, cohort: Cohort | None) -> Evaluation:
    """The evaluation as it was when the exam or the class began."""
    return catalogue.at_known_version(db, evaluations.get(db, session.evaluation_id), version_of(db, session, cohort))


def version_of(db: Connection, session: Session, cohort: Cohort | None) -> str | None:
    if cohort:
        return cohort.evaluation_version
    registration_id = session.registration_id or session.released_registration_id
    return exams.get(db, registration_id).evaluation_version if registration_id else None


def read_transcript(
    db: Connection, session: Session, participants: list[Participant], where: SessionWindow
) -> LiveTranscript:
    names = {participant.agent_id: participant.name for participant in participants}
    messages = list_messages(db, session.id, where)
    return LiveTranscript(
        [ShownMessage(message, names.get(message.sender_agent_id, "")) for message in messages], session.message_count
    )


def list_messages(db: Connection, session_id: str, where: SessionWindow) -> list[Message]:
    """A page of the conversation. Around a message that is asked for, long later ones may leave it no room."""

    def read_before(sequence: int) -> list[Message]:
        return store.list_latest_messages(db, session_id, sequence, MESSAGES_PER_PAGE, CHARACTERS_PER_PAGE)

    if not where.message:
        return read_before(where.before)
    messages = read_before(where.message + MESSAGES_PER_PAGE // 2)
    has_it = not messages or messages[0].sequence <= where.message
    return messages if has_it else read_before(where.message + 1)


def clock_of(session: Session, cohort: Cohort | None, silence_seconds: float | None) -> SessionClock | None:
    if session.status != "active":
        return None
    if cohort and cohort.ends_at:
        return SessionClock("Time left", max(0, (cohort.ends_at - now()).total_seconds()), cohort.ends_at)
    if silence_seconds is None:
        return None
    left = silence_seconds - (now() - session.active_at).total_seconds()
    return SessionClock("Silence ends it in", max(0, left), limit_seconds=silence_seconds)


def seconds_of(session: Session, moment: datetime) -> float:
    return ((session.ended_at or moment) - session.started_at).total_seconds()


def composer(evaluation: Evaluation, own: Participant, tried: TriedForm) -> Composer:
    is_tried = tried.form == "message"
    written = tried.written if is_tried else {}
    prompts = prompts_in(evaluation.config) if own.role == "proctor" else []
    fault = tried.faults[0].message if is_tried and tried.faults else ""
    return Composer(
        written.get("content", ""), prompts, written.get("prompt_id", ""), fault, written.get("once") or new_id("once")
    )


def procedure_of(db: Connection, policy: ProctorPolicy, evaluation: Evaluation, viewer: Agent | None) -> str:
    return revealing.shown_body(db, policy, evaluations.get(db, evaluation.id), evaluation, viewer)


def exemplars_of(db: Connection, policy: ProctorPolicy, evaluation: Evaluation, viewer: Agent | None) -> str:
    if not revealing.reads_procedure(db, policy, evaluation, viewer):
        return ""
    criteria = {criterion.id for criterion in form_criteria(evaluation)}
    return research.render_exemplars(research.read_exemplars(db, evaluation, criteria))


def worth_of_session(
    db: Connection, policy: ProctorPolicy, session: Session, participants: list[Participant]
) -> Worth | None:
    """What the verdict of this exam will be worth if the exam is complete; None for a class."""
    proctor = next((each for each in participants if each.role == "proctor"), None)
    if proctor is None or session.registration_id is None:
        return None
    return waiting_worth.assess_registration(db, policy, session.registration_id, agents.get(db, proctor.agent_id))


def verdict(evaluation: Evaluation, tried: TriedForm, worth: Worth) -> VerdictForm:
    is_tried = tried.form in ("verdict", "release")
    return form_of(evaluation, tried.written if is_tried else {}, tried.faults if is_tried else (), worth)


CLASS_ENDINGS = {
    "cancelled": "The class was cancelled, so it has no grades.",
    "finished": "The work of the class is being marked.",
}
SESSION_ENDINGS = {
    "cancelled": "The candidate withdrew, so there is no verdict.",
    "in_progress": "It ended without a verdict.",
}


def ending_of(db: Connection, session: Session, cohort: Cohort | None) -> str | None:
    """Why the session ended, or None if it is active."""
    if session.status == "active":
        return None
    if session.released_registration_id:
        return "The candidate went back to the waiting list, so there is no verdict."
    if cohort:
        is_graded = cohorts.is_decided(db, session.id)
        return "The grades of the class are published." if is_graded else CLASS_ENDINGS.get(cohort.status, "")
    if session.registration_id is None:
        return SESSION_ENDINGS["in_progress"]
    status = exams.get(db, session.registration_id).status
    return SESSION_ENDINGS.get(status, "The proctor has decided.")
