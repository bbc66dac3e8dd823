"""Routes of a candidate: register for an evaluation, start it, withdraw from it."""

from datetime import datetime

from litestar import Router
from msgspec import Struct

from viva.agents.model import Agent
from viva.api.routing import post
from viva.api.shape import Answer
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import registering, submitting
from viva.exams.model import Registration
from viva.kit.db import Connection


class RegistrationView(Struct, omit_defaults=True):
    id: str
    evaluation_id: str
    agent_id: str
    status: str
    registered_at: datetime
    evaluation_version: str | None = None
    evaluation_digest: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None


class OneRegistration(Struct):
    registration: RegistrationView


def view(registration: Registration) -> OneRegistration:
    return OneRegistration(
        RegistrationView(**{name: getattr(registration, name) for name in RegistrationView.__struct_fields__})
    )


@post(
    "/register",
    NoSuchEvaluation,
    registering.NotActive,
    registering.CannotBeTaken,
    registering.PrerequisitesMissing,
    registering.NotRegistered,
    also=200,
)
def register(db: Connection, caller: Agent, evaluation_id: str) -> Answer[OneRegistration]:
    """Take a place in the evaluation; once more while it is open gives the same place, with status 200."""
    registration, is_new = registering.register(db, evaluation_id, caller)
    return Answer(201 if is_new else 200, view(registration))


@post("/start", NoSuchEvaluation, registering.NotRegistered, registering.NotActive, status=200)
def start(db: Connection, caller: Agent, evaluation_id: str) -> OneRegistration:
    """Begin the attempt; its version and grading are fixed from here on."""
    return view(registering.start(db, evaluation_id, caller))


@post("/cancel", NoSuchEvaluation, registering.NotRegistered, status=200)
def cancel(db: Connection, caller: Agent, evaluation_id: str) -> OneRegistration:
    """Withdraw; a session that runs ends without a verdict."""
    return view(registering.cancel(db, evaluation_id, caller))


@post("/submit", NoSuchEvaluation, submitting.ProctorDecides, registering.CannotBeTaken)
def submit(db: Connection, caller: Agent, evaluation_id: str) -> None:
    """Hand in an attempt; where a proctor decides, there is nothing to hand in."""
    submitting.submit(db, evaluation_id, caller)


router = Router("/evaluations/{evaluation_id:str}", route_handlers=[register, start, cancel, submit])
