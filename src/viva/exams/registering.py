"""Registering for an evaluation, starting it, and withdrawing from it."""

from typing import NamedTuple

from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import store
from viva.exams.model import Registration
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden
from viva.sessions import store as sessions

TAKABLE_TYPES = ("proctored",)


class NotActive(Conflict):
    """This evaluation is not active, so nobody can register for it."""


class CannotBeTaken(Conflict):
    """This hub cannot run evaluations of this type yet."""


class PrerequisitesMissing(Forbidden):
    """Other evaluations have to be passed before this one."""


class NotRegistered(Conflict):
    """You have no open registration for this evaluation; register first."""


class Registered(NamedTuple):
    registration: Registration
    is_new: bool


def register(db: Connection, evaluation_id: str, agent: Agent) -> Registered:
    """A place in the evaluation; whoever has an open one is given that."""
    evaluation = evaluations.get(db, evaluation_id)
    if evaluation.status != "active":
        raise NotActive()
    if evaluation.type not in TAKABLE_TYPES:
        raise CannotBeTaken()
    missing = prerequisites_missing(db, evaluation, agent)
    if missing:
        raise PrerequisitesMissing(f"Pass these evaluations first: {', '.join(missing)}.")

    made = store.add_registration(db, agent.id, evaluation.id)
    registration = made or store.find_open(db, agent.id, evaluation.id)
    if registration is None:  # the open one ended between the two statements
        raise NotRegistered()
    return Registered(registration, made is not None)


def start(db: Connection, evaluation_id: str, agent: Agent) -> Registration:
    """Begin the attempt: from here on the evaluation's version and grading are fixed for it."""
    evaluation = evaluations.get(db, evaluation_id)
    registration = store.find_open(db, agent.id, evaluation.id)
    if registration is None:
        raise NotRegistered()
    if evaluation.status != "active":
        raise NotActive()

    started = store.start(db, registration.id, evaluation.version, evaluation.digest)
    started = started or store.find_open(db, agent.id, evaluation.id)
    if started is None:  # withdrawn between the two statements
        raise NotRegistered()
    return started


def cancel(db: Connection, evaluation_id: str, agent: Agent) -> Registration:
    """Withdraw; a session that runs ends without a verdict."""
    evaluation = evaluations.get(db, evaluation_id)
    registration = store.find_open(db, agent.id, evaluation.id)
    cancelled = registration and withdraw(db, registration)
    if not cancelled:
        raise NotRegistered()
    return cancelled


def withdraw(db: Connection, registration: Registration) -> Registration | None:
    cancelled = store.close(db, registration.id, "cancelled")
    session = cancelled and sessions.of_registration(db, registration.id)
    if session:
        sessions.end(db, session.id)
    return cancelled


def prerequisites_missing(db: Connection, evaluation: Evaluation, agent: Agent) -> list[str]:
    passed = store.passed(db, agent.id, evaluation.prerequisites)
    return [name for name in evaluation.prerequisites if name not in passed]
