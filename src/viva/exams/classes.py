"""Class work while it runs: a cohort works in one session until it ends and is marked."""

from datetime import timedelta

import msgspec

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams import class_grading, class_tasks, cohorts, members, sheets, store, visibility
from viva.exams.handlers.live_class_work import config_of
from viva.exams.model import Cohort, Registration
from viva.jobs import queue
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden
from viva.sessions import store as sessions

COHORTS_PER_SWEEP = 100  # ended in one transaction
MAX_COHORT_WAIT = timedelta(days=1)  # an open cohort that has not started by then is cancelled


class NotClassWork(Conflict):
    """This evaluation is not class work, so it has no cohorts."""


class NotYourCohort(Forbidden):
    """Only the leader of this cohort may do this: its instructor, or the agent that opened it."""


class CohortNotRunning(Conflict):
    """This cohort is over."""


class ClassIsOver(Conflict):
    """This class is over and is being marked, so nobody can leave it any more."""


class PublishedCohort(Cohort, frozen=True, kw_only=True):
    """A cohort as lists show it, with its keyed digest."""

    evaluation_digest_key: str | None = None


class CohortView(PublishedCohort, frozen=True, kw_only=True):
    """A cohort with the task of its participants."""

    task: str


def get_class_work(db: Connection, evaluation_id: str, viewer: Agent | None) -> Evaluation:
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    if evaluation.type != "live_class_work":
        raise NotClassWork()
    return evaluation


def view_cohort(db: Connection, cohort: Cohort) -> CohortView:
    task = config_of(class_tasks.read_evaluation(db, cohort)).task
    return CohortView(**msgspec.structs.asdict(cohort), task=task)


def check_leader(db: Connection, cohort: Cohort, agent: Agent) -> None:
    """Check that the agent may lead the cohort.

    The opener leads. Once the opener is gone, any participant may lead, so that nobody waits in vain."""
    present = {registration.agent_id for registration in members.list_present(db, cohort.id)}
    opener = cohort.opened_by_agent_id
    is_led = members.is_instructor_here(db, cohort) if cohort.instructor_agent_id else opener in present
    if agent.id not in ({opener} if is_led else present):
        raise NotYourCohort()


def begin_class(db: Connection, cohort: Cohort) -> Cohort:
    """Open the session in which the cohort works."""
    session = sessions.open_session(db, cohort.evaluation_id, "live_class_work")
    if cohort.instructor_agent_id:
        sessions.add_participant(db, session, cohort.instructor_agent_id, "instructor")
    for registration in members.list_present(db, cohort.id):
        sessions.add_participant(db, session, registration.agent_id, "participant")
    minutes = config_of(class_tasks.read_evaluation(db, cohort)).time_limit_minutes
    return cohorts.begin(db, cohort.id, session.id, now() + timedelta(minutes=minutes))


def check_not_over(cohort: Cohort | None) -> None:
    if cohort and cohort.status == "finished":
        raise ClassIsOver()


def leave_cohort(db: Connection, registration: Registration) -> Cohort | None:
    """Leave the registration's cohort if it is open or running. Returns the locked cohort, or None if there is none."""
    cohort = cohorts.hold_of(db, registration.id)
    if cohort is None or cohort.status not in ("open", "running"):
        return cohort
    members.drop(db, cohort.id, registration.id)
    if cohort.session_id:
        sessions.leave(db, cohort.session_id, registration.agent_id)
    left = cohorts.get(db, cohort.evaluation_id, cohort.id)
    is_empty = left.status == "open" and left.participant_count == 0 and left.instructor_agent_id is None
    return cohorts.end(db, left.id, "cancelled") if is_empty else left


def finish(db: Connection, evaluation_id: str, cohort_id: str, agent: Agent) -> Cohort:
    """End a class before its time is over, or cancel one that has not begun."""
    cohort = cohorts.hold(db, get_class_work(db, evaluation_id, agent).id, cohort_id)
    check_leader(db, cohort, agent)
    if cohort.status not in ("open", "running"):
        raise CohortNotRunning()
    return end_class(db, cohort)


def end_class(db: Connection, cohort: Cohort) -> Cohort:
    """Open the sheet to mark. If too few participants have spoken, cancel the class; nobody loses a try."""
    if cohort.session_id:
        sessions.end(db, cohort.session_id)
    # Silent members do not count. Otherwise a leader could end the class at once, and all would fail.
    if cohort.status == "running" and members.count_speakers(db, cohort) >= cohort.min_participants:
        job = queue.put(db, "mark_sheet", {"evaluation_id": cohort.evaluation_id, "cohort_id": cohort.id})
        sheets.open_sheet(db, cohort.evaluation_id, job.id, class_grading.derive_rows(db, cohort), cohort_id=cohort.id)
        return cohorts.end(db, cohort.id, "finished")
    for registration in members.list_present(db, cohort.id):
        store.close(db, registration.id, "cancelled", is_try=False)
    return cohorts.end(db, cohort.id, "cancelled")


def end_overdue(db: Connection) -> int:
    """End classes whose time is over and cancel cohorts that did not fill. Returns how many ended."""
    ended = 0
    for overdue in cohorts.list_overdue(db, now() - MAX_COHORT_WAIT, COHORTS_PER_SWEEP):
        cohort = cohorts.hold(db, overdue.evaluation_id, overdue.id)
        if cohort.status == overdue.status:  # otherwise it started or ended while we waited for the lock
            end_class(db, cohort)
            ended += 1
    return ended
