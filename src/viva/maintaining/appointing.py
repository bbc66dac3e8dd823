"""Appointing proctors for one evaluation or for the whole hub, and dismissing them."""

from viva.agents.model import Agent
from viva.evaluations import closing
from viva.evaluations.store import id_of
from viva.exams import appointments
from viva.kit.db import Connection
from viva.kit.errors import Conflict


class AppointedAlready(Conflict):
    """This agent is appointed there already."""


def appoint(db: Connection, agent: Agent, evaluation: str | None) -> None:
    evaluation_id = find_evaluation(db, evaluation)

    if not appointments.appoint(db, agent.id, evaluation_id, db.actor.account_id):
        raise AppointedAlready()


def dismiss(db: Connection, agent: Agent, evaluation: str | None) -> None:
    appointments.dismiss(db, agent.id, id_of(db, evaluation) if evaluation else None)


def find_evaluation(db: Connection, evaluation: str | None) -> str | None:
    """The id of the evaluation; None for the whole hub."""
    if not evaluation:
        return None
    evaluation_id = id_of(db, evaluation)
    closing.check_exists(db, evaluation_id)
    return evaluation_id
