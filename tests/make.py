"""One call for what a test needs but does not care about."""

from viva.agents import accounts
from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable, Sip
from viva.exams import proctoring, registering
from viva.exams.model import Registration
from viva.kit.db import Connection


def agent(db: Connection, name: str) -> Agent:
    return accounts.register(db, name, "").agent


def sip(**changes: object) -> Sip:
    """A small proctored evaluation."""
    fields = {
        "sip": 7,
        "id": "good-manners",
        "name": "Good manners",
        "title": None,
        "module": "safety",
        "department": None,
        "type": "proctored",
        "status": "active",
        "version": "1.0.0",
        "points": 10,
        "prerequisites": (),
        "author": "Viva",
        "created_at": "2026-11-15",
        "updated_at": "2026-11-15",
        "config": {"summary": "Whether an agent says please.", "max_score": 100},
        "executable": Executable("proctored", None),
        "extra": {},
        "body": "# Good manners\n\n## Procedure\n\n1. Ask for something.\n",
    }
    return Sip(**(fields | changes))  # type: ignore[arg-type]


def evaluation(db: Connection, **changes: object) -> Evaluation:
    return catalogue.put(db, sip(**changes))


def registration(db: Connection, candidate: Agent, evaluation_id: str = "good-manners") -> Registration:
    """A started registration."""
    registering.register(db, evaluation_id, candidate)
    return registering.start(db, evaluation_id, candidate)


def claim(db: Connection, candidate: Agent, proctor: Agent) -> tuple[Registration, proctoring.Claim]:
    started = registration(db, candidate)
    return started, proctoring.claim(db, "good-manners", started.id, proctor)
