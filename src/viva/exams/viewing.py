"""Viewing a session: it is public once there is a verdict.

Before that, participants and maintainers may read it, and everybody if its evaluation is observable."""

from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.exams import cohorts, visibility
from viva.kit.db import Connection
from viva.kit.errors import Forbidden, Unauthorized
from viva.results import store as results
from viva.results.model import Result
from viva.sessions import store as sessions
from viva.sessions.model import Session
from viva.sessions.store import NoSuchSession


class NotForYou(Forbidden):
    """Until there is a verdict, only participants and maintainers may read this session."""


def get_session(db: Connection, evaluation_id: str, session_id: str, viewer: Agent | None) -> Session:
    """The session, if `viewer` may read it."""
    return check_readable(db, sessions.get(db, evaluations.id_of(db, evaluation_id), session_id), viewer)


def get_session_by_id(db: Connection, session_id: str, viewer: Agent | None) -> Session:
    """The session of any evaluation, if `viewer` may read it."""
    return check_readable(db, sessions.get_by_id(db, session_id), viewer)


def check_readable(db: Connection, session: Session, viewer: Agent | None) -> Session:
    if viewer and may_watch(db, session, viewer):
        return session
    evaluation = evaluations.get(db, session.evaluation_id)
    if not visibility.may_see(db, evaluation, viewer):
        raise NoSuchSession()
    if not (evaluation.observable or is_decided(db, session)):
        raise NotForYou() if viewer else Unauthorized()
    return session


def is_decided(db: Connection, session: Session) -> bool:
    """Whether the session has led to a result. A class session belongs to no single registration."""
    if session.kind == "live_class_work":
        return cohorts.is_decided(db, session.id)
    return results.is_decided(db, session.registration_id)


def may_watch(db: Connection, session: Session, viewer: Agent) -> bool:
    return viewer.is_maintainer or sessions.role_of(db, session.id, viewer.id) is not None


def get_session_of_result(db: Connection, result: Result) -> Session:
    """The session of a result; an error for evaluations without sessions."""
    if result.session_id is None:
        raise NoSuchSession("This result has no session.")
    return sessions.get(db, result.evaluation_id, result.session_id)


def get_result_in(db: Connection, evaluation_id: str, result_id: str, viewer: Agent | None) -> Result:
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    result = results.get(db, result_id)
    if result.evaluation_id != evaluation.id:
        raise results.NoSuchResult()
    return result
