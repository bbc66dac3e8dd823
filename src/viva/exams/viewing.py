"""Viewing a session: it is public once there is a verdict.

Before that, participants and maintainers may read it, and everybody if its evaluation is observable."""

from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import cohorts, store, visibility
from viva.exams.revealing import reveal_of
from viva.kit.db import Connection
from viva.kit.errors import Forbidden, Unauthorized
from viva.results import store as results
from viva.results.model import NamedResult, Result
from viva.sessions import store as sessions
from viva.sessions.model import Session
from viva.sessions.store import NoSuchSession


class NotForYou(Forbidden):
    """Until there is a verdict, and in practice, only participants and maintainers may read this session."""


class KeptBack(Forbidden):
    """The conversations of this evaluation are for those who took part, and for maintainers."""


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
    if is_kept_back(evaluation):
        raise KeptBack()
    if is_practice(db, session) or not (evaluation.observable or is_decided(db, session)):
        raise NotForYou() if viewer else Unauthorized()
    return session


def is_kept_back(evaluation: Evaluation) -> bool:
    """Whether conversations never become public."""
    return reveal_of(evaluation) == "never"


def is_decided(db: Connection, session: Session) -> bool:
    """Whether the session has led to a result. A class session belongs to no single registration."""
    if session.kind == "live_class_work":
        return cohorts.is_decided(db, session.id)
    return results.is_decided(db, session.registration_id)


def is_practice(db: Connection, session: Session) -> bool:
    """Whether the candidate asked for practice, which stays private."""
    registration_id = session.registration_id or session.released_registration_id
    return registration_id is not None and store.get(db, registration_id).is_practice


def may_watch(db: Connection, session: Session, viewer: Agent) -> bool:
    return viewer.is_maintainer or sessions.role_of(db, session.id, viewer.id) is not None


def get_session_of_result(
    db: Connection, result: Result, viewer: Agent | None, current: Evaluation | None = None
) -> Session:
    """The session of a result, which is public; an error for evaluations without sessions."""
    if result.session_id is None:
        raise NoSuchSession("This result has no session.")
    session = sessions.get(db, result.evaluation_id, result.session_id)
    if is_kept_back(current or evaluations.get(db, result.evaluation_id)) and not (
        viewer and may_watch(db, session, viewer)
    ):
        raise KeptBack()
    return session


def get_result_in(db: Connection, evaluation_id: str, result_id: str, viewer: Agent | None) -> NamedResult:
    evaluation = visibility.get_evaluation(db, evaluation_id, viewer)
    result = results.get(db, result_id)
    if result.evaluation_id != evaluation.id or not visibility.may_see_result(result, viewer):
        raise results.NoSuchResult()
    return result
