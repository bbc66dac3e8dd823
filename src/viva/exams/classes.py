"""Class work under way: a cohort talks in one session, its work is marked, and each participant has a result."""

import logging
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct, to_builtins

from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.evaluations.configs import ClassConfig
from viva.evaluations.model import Evaluation
from viva.exams import cohorts, deciding, members, sheets, store
from viva.exams.handlers import live_class_work
from viva.exams.handlers.live_class_work import LONGEST_MESSAGE, Classroom, Said
from viva.exams.model import Cohort, Mark, Paper, Registration, Sheet
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden
from viva.results.model import NamedResult
from viva.sessions import store as sessions

SWEEP = 100  # cohorts ended at one time
LONGEST_WAIT = timedelta(days=1)  # of an open cohort for its participants
MOST_MESSAGES = 1_000  # of the beginning of a class, and as many of its end, that are marked and analysed

log = logging.getLogger(__name__)


class NotYourCohort(Forbidden):
    """Only who leads this cohort may do this: its instructor, or who opened it where there is none."""


class CohortNotRunning(Conflict):
    """This cohort is not running."""


class CohortView(Struct, frozen=True):
    """A cohort as it is shown by itself, with what its participants have to do together."""

    id: str
    evaluation_id: str
    evaluation_version: str
    evaluation_digest: str
    status: str
    min_participants: int
    max_participants: int
    participant_count: int
    instructor_agent_id: str | None
    opened_by_agent_id: str
    session_id: str | None
    opened_at: datetime
    started_at: datetime | None
    ends_at: datetime | None
    ended_at: datetime | None
    task: str


def view(db: Connection, cohort: Cohort) -> CohortView:
    return CohortView(**msgspec.structs.asdict(cohort), task=config_of(taken(db, cohort)).task)


def taken(db: Connection, cohort: Cohort) -> Evaluation:
    """The evaluation as it was when the cohort was opened."""
    return catalogue.at_version(db, evaluations.get(db, cohort.evaluation_id), cohort.evaluation_version)


def config_of(evaluation: Evaluation) -> ClassConfig:
    return msgspec.convert(evaluation.config, ClassConfig)


def check_leads(db: Connection, cohort: Cohort, agent: Agent) -> None:
    """Whoever opened it leads; once that agent is gone, any participant does, so that nobody is left waiting."""
    here = {registration.agent_id for registration in members.present(db, cohort.id)}
    opener = cohort.opened_by_agent_id
    is_led = members.is_instructor_here(db, cohort) if cohort.instructor_agent_id else opener in here
    if agent.id not in ({opener} if is_led else here):
        raise NotYourCohort()


def begin(db: Connection, cohort: Cohort) -> Cohort:
    """Open the session in which the cohort works."""
    session = sessions.open_session(db, cohort.evaluation_id, "live_class_work")
    if cohort.instructor_agent_id:
        sessions.add_participant(db, session, cohort.instructor_agent_id, "instructor")
    for registration in members.present(db, cohort.id):
        sessions.add_participant(db, session, registration.agent_id, "participant")
    minutes = config_of(taken(db, cohort)).time_limit_minutes
    return cohorts.begin(db, cohort.id, session.id, now() + timedelta(minutes=minutes))


def finish(db: Connection, evaluation_id: str, cohort_id: str, agent: Agent) -> Cohort:
    """End the class before its time is over."""
    cohort = cohorts.hold(db, evaluations.id_of(db, evaluation_id), cohort_id)
    check_leads(db, cohort, agent)
    if cohort.status != "running":
        raise CohortNotRunning()
    return end(db, cohort)


def end(db: Connection, cohort: Cohort) -> Cohort:
    """Have the work marked; where too few have stayed, the class is cancelled and nobody loses a try."""
    if cohort.session_id:
        sessions.end(db, cohort.session_id)
    if cohort.status == "running" and cohort.participant_count >= cohort.min_participants:
        job = queue.put(db, "mark_sheet", {"evaluation_id": cohort.evaluation_id, "cohort_id": cohort.id})
        sheets.open_sheet(db, cohort.evaluation_id, job.id, cohort_id=cohort.id)
        return cohorts.end(db, cohort.id, "finished")
    for registration in members.present(db, cohort.id):
        store.close(db, registration.id, "cancelled", is_try=False)
    return cohorts.end(db, cohort.id, "cancelled")


def end_overdue(db: Connection) -> int:
    """End classes whose time is over, and cancel cohorts that did not fill; how many there were."""
    ended = 0
    for found in cohorts.overdue(db, now() - LONGEST_WAIT, SWEEP):
        cohort = cohorts.hold(db, found.evaluation_id, found.id)
        if cohort.status == found.status:  # else it started or ended while we waited for the lock
            end(db, cohort)
            ended += 1
    return ended


def paper_of(db: Connection, sheet: Sheet) -> Paper:
    cohort = cohorts.get(db, sheet.evaluation_id, sheet.cohort_id or "")
    evaluation, stayed = taken(db, cohort), members.present(db, cohort.id)
    room = classroom(db, cohort, stayed)
    return Paper(sheet, evaluation, live_class_work.rows(evaluation, room), to_builtins(room), stayed)


def classroom(db: Connection, cohort: Cohort, stayed: list[Registration]) -> Classroom:
    session_id = cohort.session_id or ""
    people = sessions.participants(db, session_id)
    heard = sessions.both_ends(db, session_id, MOST_MESSAGES, LONGEST_MESSAGE + 1)
    return Classroom(
        id=cohort.id,
        names={person.agent_id: person.name for person in people},
        participants=[registration.agent_id for registration in stayed],
        said=[Said(message.sender_agent_id, message.role, message.content) for message in heard],
        left_out=sessions.state(db, session_id).message_count - len(heard),
    )


def analysed(paper: Paper) -> dict[str, Any] | None:
    """What the engine finds in the conversation, without its slow sentence model; None where it fails."""
    from viva.engine.analyze import analyze  # late: it is large, and most processes never analyse a class

    trace = live_class_work.trace(paper.evaluation, msgspec.convert(paper.content, Classroom))
    try:
        return live_class_work.summary(analyze(trace, sentence_model=False))
    except Exception:  # the class has its marks without it, and would never have them if this went on for ever
        log.exception("Could not analyse cohort %s", paper.sheet.cohort_id)
        return None


def keep_analysis(db: Connection, sheet: Sheet, analysis: dict[str, Any]) -> None:
    cohorts.keep_analysis(db, sheet.cohort_id or "", analysis)


def conclude(
    db: Connection, paper: Paper, marks: list[Mark], proctor_id: str | None, feedback: str | None
) -> list[NamedResult]:
    """One result for each participant who stayed; none for one who was deleted meanwhile."""
    cohort = cohorts.get(db, paper.sheet.evaluation_id, paper.sheet.cohort_id or "")
    room, analysis = msgspec.convert(paper.content, Classroom), cohorts.analysis_of(db, cohort.id)
    kept = []
    for registration in paper.registrations:
        held = store.hold_any(db, registration.id)
        if held.status != "in_progress":
            continue
        outcome = live_class_work.outcome(paper.evaluation, room, paper.rows, held.agent_id, marks, analysis)
        outcome = outcome._replace(feedback=feedback or outcome.feedback)
        kept.append(
            deciding.keep(
                db,
                paper.evaluation,
                held,
                outcome,
                proctor_agent_id=proctor_id,
                session_id=cohort.session_id,
                cohort_id=cohort.id,
            )
        )
    return kept
