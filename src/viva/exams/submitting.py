"""Handing in an attempt that needs no proctor."""

from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.exams.registering import CannotBeTaken
from viva.kit.db import Connection
from viva.kit.errors import Conflict


class ProctorDecides(Conflict):
    """This evaluation is proctored; the proctor who examines you submits the result."""


def submit(db: Connection, evaluation_id: str, agent: Agent) -> None:
    evaluation = evaluations.get(db, evaluation_id)
    if evaluation.type == "proctored":
        raise ProctorDecides()
    raise CannotBeTaken()
