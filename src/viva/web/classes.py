"""The page of one class: its members, their conversation, and the grades of the group and of each agent."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from litestar import Request, Response, get

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import (
    class_grading,
    class_results,
    class_tasks,
    classes,
    cohorts,
    joining,
    members,
    sheets,
    viewing,
    visibility,
)
from viva.exams.class_results import ClassResult
from viva.exams.handlers.live_class_work import config_of
from viva.exams.model import Cohort, CohortMember
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized
from viva.sessions import store as sessions
from viva.sessions.model import Session
from viva.web import class_actions, pages
from viva.web.class_actions import ClassAction
from viva.web.class_analysis import CoordinationCase, read_class_cases
from viva.web.conversations import ConversationView, ShownMessage, TranscriptView, page_of
from viva.web.queries import count
from viva.web.sit_page import read_state
from viva.web.verdicts import ScorePart, parts_in

CLASSES_SHOWN = 5  # on the page of their evaluation

# Why a class was cancelled. The cohort row does not say it, so it is derived from how far the class came.
TOO_FEW = "too_few"  # it ran, but too few participants stayed and sent messages
DESERTED = "deserted"
WAITED = "waited"
CALLED_OFF = "called_off"


class ClassPerson(NamedTuple):
    """A member of the class with its result."""

    member: CohortMember
    result: ClassResult | None
    own: ScorePart | None


@dataclass(frozen=True)
class ClassPage:
    cohort: Cohort
    evaluation: Evaluation  # as it was when the class was opened
    task: str
    opener: str
    people: list[ClassPerson]
    group: ScorePart | None
    sheet_status: str | None  # of the marking, once the class is finished
    session: Session | None
    transcript: TranscriptView | None  # None if the viewer may not read it, or the class has not begun
    cases: list[CoordinationCase] | None  # what the engine found; None if there is no analysis
    actions: list[ClassAction]
    is_working: bool  # whether the viewer takes part while it runs
    waiting: str  # the state of a participant who waits for its beginning or its marks; empty for others

    @property
    def results(self) -> list[ClassResult]:
        return [person.result for person in self.people if person.result]

    @property
    def passed_count(self) -> int:
        return sum(result.passed for result in self.results)

    @property
    def seats(self) -> int:
        return self.cohort.max_participants - self.cohort.participant_count

    @property
    def missing(self) -> int:
        """How many more participants are needed before it can start."""
        return max(0, self.cohort.min_participants - self.cohort.participant_count)

    @property
    def anybody_starts_at(self) -> datetime:
        return self.cohort.opened_at + joining.LEADER_ABSENCE_LIMIT

    @property
    def given_up_at(self) -> datetime:
        return self.cohort.opened_at + classes.MAX_COHORT_WAIT

    @property
    def why_cancelled(self) -> str:
        cohort = self.cohort
        if cohort.session_id:
            return TOO_FEW
        if cohort.participant_count == 0 and cohort.instructor_agent_id is None:
            return DESERTED
        return WAITED if cohort.ended_at and cohort.ended_at >= self.given_up_at else CALLED_OFF


@get("/classes/{cohort_id:str}")
async def show_class(request: Request, cohort_id: str) -> Response[str]:
    where = ConversationView(after=count(request, "after"), message=count(request, "message"))
    return await pages.show(
        request, "classes/show.html", lambda db: class_page(db, cohort_id, request.state.frame.viewer, where)
    )


def class_page(db: Connection, cohort_id: str, viewer: Agent | None, where: ConversationView) -> ClassPage:
    cohort = cohorts.get_by_id(db, cohort_id)
    current = evaluations.get(db, cohort.evaluation_id)
    if not visibility.may_see(db, current, viewer):
        raise cohorts.NoSuchCohort()
    evaluation = catalogue.at_version(db, current, cohort.evaluation_version)
    found = members.list_members(db, cohort)
    results = class_results.list_class_results(db, cohort.id) if cohort.status == "finished" else []
    session = readable_session(db, cohort, viewer)
    return ClassPage(
        cohort=cohort,
        evaluation=evaluation,
        task=config_of(class_tasks.read_evaluation(db, cohort)).task,
        opener=agents.names(db, [cohort.opened_by_agent_id])[cohort.opened_by_agent_id],
        people=people(found, results),
        group=next((part for result in results for part in parts_in({"group": result.shared})), None),
        sheet_status=sheets.get_about(db, cohort.id).status if cohort.status == "finished" else None,
        session=session,
        transcript=read_transcript(db, session, where) if session else None,
        cases=read_class_cases(class_grading.find_analysis(db, cohort.id)) if results else None,
        actions=class_actions.allowed_actions(db, cohort, current, found, viewer) if viewer else [],
        is_working=viewer is not None and cohort.status == "running" and takes_part(found, viewer),
        waiting=read_waiting_state(db, cohort, found, results, viewer),
    )


def read_waiting_state(
    db: Connection, cohort: Cohort, found: list[CohortMember], results: list[ClassResult], viewer: Agent | None
) -> str:
    if viewer is None or not takes_part(found, viewer):
        return ""
    is_unmarked = cohort.status == "finished" and not results
    return read_state(db, viewer.id, cohort.evaluation_id) if cohort.status == "open" or is_unmarked else ""


def takes_part(found: list[CohortMember], viewer: Agent) -> bool:
    return any(member.agent_id == viewer.id and member.left_at is None for member in found)


def readable_session(db: Connection, cohort: Cohort, viewer: Agent | None) -> Session | None:
    """The session of the class, if it has begun and the viewer may read it."""
    if cohort.session_id is None:
        return None
    try:
        return viewing.get_session(db, cohort.evaluation_id, cohort.session_id, viewer)
    except (viewing.NotForYou, viewing.KeptBack, Unauthorized):
        return None


def read_transcript(db: Connection, session: Session, where: ConversationView) -> TranscriptView:
    names = {participant.agent_id: participant.name for participant in sessions.list_participants(db, session.id)}
    after, messages, has_more = page_of(db, session, where)
    shown = [ShownMessage(message, names.get(message.sender_agent_id, "")) for message in messages]
    return TranscriptView(session, shown, after, messages[-1].sequence if has_more else None)


def people(cohort_members: list[CohortMember], results: list[ClassResult]) -> list[ClassPerson]:
    """Sort the instructor first, then members by result, then members without a result."""
    by_agent = {result.agent_id: result for result in results}
    place = {agent_id: number for number, agent_id in enumerate(by_agent)}
    ordered = sorted(
        cohort_members,
        key=lambda member: -1 if member.role == "instructor" else place.get(member.agent_id, len(place)),
    )
    return [person(member, by_agent.get(member.agent_id)) for member in ordered]


def person(member: CohortMember, result: ClassResult | None) -> ClassPerson:
    parts = parts_in({"own": result.own}) if result else []
    return ClassPerson(member, result, parts[0] if parts else None)


def latest(db: Connection, evaluation_id: str) -> list[Cohort]:
    """The newest classes of an evaluation, for `classes/_latest.html` on its page."""
    return cohorts.list_cohorts(db, evaluation_id, None, CLASSES_SHOWN, None).items
