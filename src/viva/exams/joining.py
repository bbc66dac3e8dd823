"""Joining class work: an agent opens a cohort, others join or leave, and the class starts."""

from datetime import timedelta
from typing import Literal, NamedTuple

from viva.agents.model import Agent
from viva.evaluations.model import Evaluation
from viva.exams import classes, cohorts, members, registering, store
from viva.exams.model import Cohort, Registration, StartedAttempt
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden, VivaError

ClassRole = Literal["instructor", "participant"]
# After this time any participant may start the class, so that an absent leader does not block it.
LEADER_ABSENCE_LIMIT = timedelta(minutes=30)
MAX_OPEN_COHORTS = 3  # per instructor; agents that look for a seat go to the oldest open cohort of all


class CohortFull(Conflict):
    """This cohort is full."""


class CohortNotOpen(Conflict):
    """This cohort has started or ended, so nobody can join or start it any more."""


class AlreadyInACohort(Conflict):
    """You are in another cohort of this evaluation; leave that one first."""


class NotInThisCohort(Conflict):
    """You are not a participant of this cohort."""


class OwnClass(Forbidden):
    """An agent cannot take part in a class that it leads."""


class TooFew(Conflict):
    """There are too few participants to start."""


class TooManyCohorts(Conflict):
    """You already lead several open cohorts of this evaluation; start them, or wait until they are over."""


class CohortSeat(NamedTuple):
    """An agent's place in a cohort; an instructor has no registration."""

    registration: Registration | None
    cohort: Cohort
    is_new: bool = True


def open_cohort(db: Connection, evaluation_id: str, agent: Agent, role: ClassRole | None) -> CohortSeat:
    """Open a cohort, led by the agent as its instructor or as its first participant."""
    evaluation = classes.get_class_work(db, evaluation_id, agent)
    registering.check_can_be_taken(evaluation)
    registration = store.find_open(db, agent.id, evaluation.id)
    is_waiting = registration is not None and registration.status == "registered"
    if (role or ("participant" if is_waiting else "instructor")) == "instructor":
        cohorts.hold_openings(db, evaluation.id)
        if cohorts.count_open(db, evaluation.id, agent.id) >= MAX_OPEN_COHORTS:
            raise TooManyCohorts()
        return CohortSeat(None, cohorts.add(db, evaluation, agent.id, agent.id, 0))
    return open_as_participant(db, evaluation, registration)


def open_as_participant(db: Connection, evaluation: Evaluation, registration: Registration | None) -> CohortSeat:
    if registration is None:
        raise store.NotRegistered()
    # Start the registration first: only one of two requests can, so no empty cohort is left behind.
    started = store.start(db, registration.id, evaluation.version, evaluation.digest)
    if started is None:
        raise AlreadyInACohort() if store.find_open(db, registration.agent_id, evaluation.id) else store.NotRegistered()
    cohort = cohorts.add(db, evaluation, started.agent_id, None, 1)
    members.add(db, cohort, started)
    return CohortSeat(started, cohort)


def join(db: Connection, evaluation_id: str, cohort_id: str, agent: Agent) -> CohortSeat:
    """Take a seat in an open cohort; a repeated call returns the same seat."""
    evaluation = classes.get_class_work(db, evaluation_id, agent)
    cohort = cohorts.get(db, evaluation.id, cohort_id)
    registration = store.find_open(db, agent.id, evaluation.id)
    if registration is None:
        raise store.NotRegistered()
    if registration.status == "in_progress":
        return find_seat(db, cohort, registration)
    if cohort.instructor_agent_id == agent.id:
        raise OwnClass()
    if evaluation.status != "active":
        raise registering.NotActive()

    joined = take_seat(db, cohort.id, registration)
    if joined is None:
        raise why_no_seat(db, evaluation.id, cohort.id)
    return joined


def find_seat(db: Connection, cohort: Cohort, registration: Registration) -> CohortSeat:
    present = cohorts.find_of(db, registration.id)
    if present is None or present.id != cohort.id:
        raise AlreadyInACohort()
    return CohortSeat(registration, present, is_new=False)


def take_seat(db: Connection, cohort_id: str, registration: Registration) -> CohortSeat | None:
    """Take a seat, and begin the class if it was the last one; None if there is no seat."""
    cohort = cohorts.take_seat(db, cohort_id)
    if cohort is None:
        return None
    started = store.start(db, registration.id, cohort.evaluation_version, cohort.evaluation_digest)
    if started is None:  # another request of the same agent was quicker
        cohorts.give_seat_back(db, cohort_id)
        present = store.find_open(db, registration.agent_id, cohort.evaluation_id)
        if present is None:
            raise store.NotRegistered()
        return find_seat(db, cohort, present)
    members.add(db, cohort, started)
    if cohort.participant_count == cohort.max_participants:
        cohort = classes.begin_class(db, cohort)
    return CohortSeat(started, cohort)


def why_no_seat(db: Connection, evaluation_id: str, cohort_id: str) -> VivaError:
    return CohortFull() if cohorts.get(db, evaluation_id, cohort_id).status == "open" else CohortNotOpen()


def start_class_work(
    db: Connection, evaluation: Evaluation, registration: Registration, agent: Agent
) -> StartedAttempt:
    """Join the open cohort that has waited longest, or open one; a repeated call returns the same cohort."""
    cohorts.hold_openings(db, evaluation.id)
    present = store.find_open(db, agent.id, evaluation.id)
    if present is None or present.id != registration.id:  # withdrawn while we waited for the lock
        raise store.NotRegistered()
    joined = place_in_cohort(db, evaluation, present)
    return StartedAttempt(joined.registration or present, {"cohort": classes.view_cohort(db, joined.cohort)})


def place_in_cohort(db: Connection, evaluation: Evaluation, registration: Registration) -> CohortSeat:
    cohort = cohorts.find_of(db, registration.id)
    if cohort:
        return CohortSeat(registration, cohort, is_new=False)
    while cohort_id := cohorts.find_oldest_with_room(db, evaluation.id, registration.agent_id):
        joined = take_seat(db, cohort_id, registration)
        if joined:  # otherwise its last seat was taken meanwhile, and the loop tries the next cohort
            return joined
    return open_as_participant(db, evaluation, registration)


def leave(db: Connection, evaluation_id: str, cohort_id: str, agent: Agent) -> CohortSeat:
    """Give the seat back. This ends the registration. It is a try once the class has begun."""
    evaluation = classes.get_class_work(db, evaluation_id, agent)
    cohort = cohorts.hold(db, evaluation.id, cohort_id)
    registration = store.find_open(db, agent.id, evaluation.id)
    present = registration and cohorts.find_of(db, registration.id)
    if registration is None or present is None or present.id != cohort.id:
        raise NotInThisCohort()
    classes.check_not_over(cohort)

    left = classes.leave_cohort(db, registration)
    ended = store.close(db, registration.id, "cancelled", is_try=cohort.session_id is not None)
    return CohortSeat(ended or registration, left or cohort)


def start(db: Connection, evaluation_id: str, cohort_id: str, agent: Agent) -> Cohort:
    """Begin the class without waiting for more participants."""
    evaluation = classes.get_class_work(db, evaluation_id, agent)
    cohort = cohorts.hold(db, evaluation.id, cohort_id)
    if not has_waited_long(db, cohort, agent):
        classes.check_leader(db, cohort, agent)
    if cohort.status != "open":
        raise CohortNotOpen()
    if cohort.participant_count < cohort.min_participants:
        raise TooFew(
            f"{cohort.participant_count} participants are here; {cohort.min_participants} are needed to start."
        )

    return classes.begin_class(db, cohort)


def has_waited_long(db: Connection, cohort: Cohort, agent: Agent) -> bool:
    """Whether the agent is a participant and the leader has had enough time to start the class."""
    is_here = any(registration.agent_id == agent.id for registration in members.list_present(db, cohort.id))
    return is_here and cohort.opened_at < now() - LEADER_ABSENCE_LIMIT
