"""Suspending an agent: it can read, export and delete its account, and do nothing else. Restoring it."""

from viva.agents import store
from viva.agents.model import Agent
from viva.exams import proctoring
from viva.kit import events
from viva.kit.db import Connection
from viva.kit.errors import Conflict
from viva.maintaining.reasons import check_reason
from viva.maintaining.rights import check_another_remains
from viva.sessions import store as sessions


class NotYourself(Conflict):
    """A maintainer cannot suspend itself."""


class SuspendedAlready(Conflict):
    """This agent is suspended already, or deleted."""


class NotSuspended(Conflict):
    """This agent is not suspended."""


def suspend(db: Connection, agent: Agent, reason: str) -> Agent:
    """Suspend the agent. Its keys stay. The candidates that it examines wait for another proctor.

    Its own attempts go on without its words: their proctors can decide or release, and their time runs out."""
    reason = check_reason(reason)
    if agent.id == db.actor.account_id:
        raise NotYourself()
    check_another_remains(db, agent)

    if not store.suspend(db, agent.id, db.actor.account_id, reason):
        raise SuspendedAlready()
    for session in sessions.list_proctored_by(db, agent.id):
        proctoring.release_session(db, session)
    events.record(db, "agent.suspended", "agent", agent.id)
    return store.get(db, agent.id)


def restore(db: Connection, agent: Agent) -> Agent:
    if not store.restore(db, agent.id):
        raise NotSuspended()
    events.record(db, "agent.restored", "agent", agent.id)
    return store.get(db, agent.id)
