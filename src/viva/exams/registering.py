"""Registering for an evaluation, and withdrawing from it."""

from datetime import timedelta
from math import ceil
from typing import NamedTuple

from viva.agents import owners
from viva.agents.model import Agent
from viva.evaluations import closing as closings
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import attempts, challenges, classes, cohorts, expiring, practising, store, visibility
from viva.exams.handlers.table import find_faults
from viva.exams.model import Registration
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden
from viva.sessions import store as sessions


class NotActive(Conflict):
    """This evaluation is not active, so nobody can register for it."""


class EvaluationClosed(Conflict):
    """This evaluation is closed, so nobody can register for it."""


class CannotBeTaken(Conflict):
    """This evaluation is broken and cannot be taken."""


class PrerequisitesMissing(Forbidden):
    """Other evaluations have to be passed before this one."""


class NoTriesLeft(Conflict):
    """You have used all your tries at this evaluation."""


class CoolingDown(Conflict):
    """Some time has to pass between two tries at this evaluation."""


class RegistrationPlace(NamedTuple):
    registration: Registration
    is_new: bool


def register(db: Connection, evaluation_id: str, agent: Agent, is_practice: bool = False) -> RegistrationPlace:
    """Register the agent, for practice if it asks. An agent that has an open registration gets that one."""
    evaluation = visibility.get_evaluation(db, evaluation_id, agent)
    check_can_be_taken(evaluation)
    if is_practice and evaluation.type == "live_class_work":
        raise practising.NoPractice()
    missing = list_missing_prerequisites(db, evaluation, agent)
    if missing:
        raise PrerequisitesMissing(f"Pass these evaluations first: {', '.join(missing)}.")
    expiring.end_if_overdue(db, store.find_open(db, agent.id, evaluation.id))

    closing = closings.find_closing(db, evaluation.id)
    if closing and store.find_open(db, agent.id, evaluation.id) is None:
        raise EvaluationClosed(f"{EvaluationClosed.__doc__} The reason: {closing.reason}")

    added = store.add_registration(db, agent.id, evaluation.id, is_practice)
    registration = added or store.find_open(db, agent.id, evaluation.id)
    if registration is None:  # the open one ended between the two statements
        raise store.NotRegistered()
    if added and practising.is_try(evaluation, added):  # only now, when no other try of this agent can end unnoticed
        check_may_try_again(db, evaluation, agent)
    return RegistrationPlace(registration, added is not None)


def check_can_be_taken(evaluation: Evaluation) -> None:
    if evaluation.status != "active":
        raise NotActive()
    broken = next(find_faults(evaluation), None)
    if broken:
        raise CannotBeTaken(f"This evaluation is broken and cannot be taken: {broken}")


class BrokenEvaluation(NamedTuple):
    """An active evaluation that cannot be taken on this hub, and why."""

    evaluation: Evaluation
    reason: str


def list_broken(db: Connection) -> list[BrokenEvaluation]:
    """Every active evaluation that cannot be taken on this hub."""
    reasons = ((evaluation, next(find_faults(evaluation), None)) for evaluation in evaluations.list_active(db))
    return [BrokenEvaluation(evaluation, reason) for evaluation, reason in reasons if reason]


def check_may_try_again(db: Connection, evaluation: Evaluation, agent: Agent) -> None:
    if evaluation.max_tries is not None or evaluation.cooldown_minutes is not None:
        check_tries(evaluation, store.count_tries(db, owners.hold_accounts(db, agent.id), evaluation.id))


def check_tries(evaluation: Evaluation, tries: store.Tries) -> None:
    """Check that somebody who has had these tries may have one more now."""
    max_tries, pause = evaluation.max_tries, evaluation.cooldown_minutes
    if max_tries is not None and tries.number >= max_tries:
        used = "your only try" if max_tries == 1 else f"all your {max_tries} tries"
        raise NoTriesLeft(f"You have used {used} at this evaluation.")
    if pause is not None and tries.last_ended_at is not None:
        left = tries.last_ended_at + timedelta(minutes=pause) - now()
        if left > timedelta(0):
            seconds = int(left.total_seconds()) + 1
            wait = f"{seconds} seconds" if seconds < 120 else f"{ceil(seconds / 60)} minutes"
            raise CoolingDown(f"You can try this evaluation again in {wait}.", retry_after=seconds)


def cancel(db: Connection, evaluation_id: str, agent: Agent) -> Registration:
    """Withdraw. A running session ends without a verdict. An attempt that was handed in cannot be withdrawn."""
    evaluation = visibility.get_evaluation(db, evaluation_id, agent)
    registration = store.find_open(db, agent.id, evaluation.id)
    if registration:
        classes.check_not_over(cohorts.hold_of(db, registration.id))
    cancelled = registration and withdraw(db, registration)
    if not cancelled:
        raise store.NotRegistered()
    if attempts.find_of(db, cancelled.id):  # checked only now, when nobody can hand in unnoticed
        raise challenges.AlreadyHandedIn()
    return cancelled


def withdraw(db: Connection, registration: Registration) -> Registration | None:
    """End the registration without a result. Whoever has seen the questions could come back prepared: that is a try.

    A proctor whose verdict would be practice has no part in that, or a stranger could use up the tries of others."""
    left = classes.leave_cohort(db, registration)  # lock order: cohort, then registration
    registration = store.hold_any(db, registration.id)
    if left is None:  # it may have joined a cohort meanwhile
        left = classes.leave_cohort(db, registration)
    has_begun = (
        challenges.find_of(db, registration.id)
        or (left and left.session_id)
        or sessions.was_examined(db, registration.id)
    )
    cancelled = store.close(db, registration.id, "cancelled", bool(has_begun) and is_try(db, registration))
    if cancelled is None:
        return None
    if session := sessions.find_by_registration(db, registration.id):
        sessions.end(db, session.id)
    return cancelled


def is_try(db: Connection, registration: Registration) -> bool:
    """Whether a withdrawn attempt is a try; free practice is none."""
    return practising.is_try(evaluations.get(db, registration.evaluation_id), registration)


def list_missing_prerequisites(db: Connection, evaluation: Evaluation, agent: Agent) -> list[str]:
    passed = store.find_passed(db, agent.id, evaluation.prerequisites)
    return [name for name in evaluation.prerequisites if name not in passed]
