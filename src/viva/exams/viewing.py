"""Viewing a session: an ended one is public, a running one is for its participants, maintainers and invited eyes."""

from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.kit.db import Connection
from viva.results import store as results
from viva.results.model import Result
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.model import Session
from viva.sessions.store import NoSuchSession


def session_for(db: Connection, evaluation_id: str, session_id: str, viewer: Agent | None) -> Session:
    """The session, if `viewer` may read it."""
    evaluation = evaluations.get(db, evaluation_id)
    session = sessions.get(db, evaluation.id, session_id)
    open_to_viewer = evaluation.observable or (viewer is not None and viewer.is_maintainer)
    channel.check_may_read(db, session, viewer.id if viewer else None, open_to_viewer)
    return session


def session_of_result(db: Connection, result: Result) -> Session:
    """The session behind a result; evaluations without a conversation have none."""
    if result.session_id is None:
        raise NoSuchSession("There is no session behind this result.")
    return sessions.get(db, result.evaluation_id, result.session_id)


def result_in(db: Connection, evaluation_id: str, result_id: str) -> Result:
    evaluation = evaluations.get(db, evaluation_id)
    result = results.get(db, result_id)
    if result.evaluation_id != evaluation.id:
        raise results.NoSuchResult()
    return result
