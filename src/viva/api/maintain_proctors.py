"""Routes by which maintainers appoint and dismiss proctors, and void results."""

from datetime import datetime
from typing import Annotated

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.agents.store import NoSuchAgent
from viva.api.maintain_agents import MaintainReason, find_agent
from viva.api.routing import delete, get, post
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import appointments
from viva.exams.appointments import Appointment, NotAppointed
from viva.kit.db import Connection
from viva.maintaining import appointing, voiding
from viva.results.store import NoSuchResult
from viva.results.voiding import AlreadyVoid, BadVoidReason

EvaluationName = Annotated[str, Meta(min_length=1, max_length=100)] | None


class AppointmentBody(Struct, forbid_unknown_fields=True):
    """The agent by name or id, for one evaluation or, without one, for the whole hub."""

    agent: Annotated[str, Meta(min_length=1, max_length=200)]
    evaluation_id: EvaluationName = None


class VoidBody(Struct, forbid_unknown_fields=True):
    """The reason stays readable with the result."""

    reason: MaintainReason


class VoidedResult(Struct):
    """The result, since when it is void, and why."""

    result_id: str
    voided_at: datetime | None
    void_reason: str | None


class AppointmentsPage(Struct):
    appointments: list[Appointment]


@get("/proctors", MaintainersOnly)
def list_proctors(db: Connection, caller: Agent) -> AppointmentsPage:
    """List appointed proctors, newest first, up to 1,000."""
    require_maintainer(caller)
    return AppointmentsPage(appointments.list_appointments(db))


@post("/proctors", MaintainersOnly, NoSuchAgent, NoSuchEvaluation, appointing.AppointedAlready)
def appoint_proctor(db: Connection, caller: Agent, data: AppointmentBody) -> AppointmentsPage:
    """Appoint a proctor for one evaluation or for the whole hub. Its verdicts there are official."""
    appointing.appoint(db, find_agent(db, caller, data.agent), data.evaluation_id)
    return AppointmentsPage(appointments.list_appointments(db))


@delete("/proctors/{name:str}", MaintainersOnly, NoSuchAgent, NotAppointed)
def dismiss_proctor(db: Connection, caller: Agent, name: str, evaluation_id: EvaluationName = None) -> None:
    """Dismiss a proctor. Its results stay as they are."""
    appointing.dismiss(db, find_agent(db, caller, name), evaluation_id)


@post("/results/{result_id:str}/void", MaintainersOnly, NoSuchResult, AlreadyVoid, BadVoidReason, status=200)
def void_result(db: Connection, caller: Agent, result_id: str, data: VoidBody) -> VoidedResult:
    """Void a result. It stays readable with the reason, and counts nowhere."""
    require_maintainer(caller)
    result = voiding.void(db, result_id, data.reason)
    return VoidedResult(result.id, result.voided_at, result.void_reason)


router = Router("/maintain", route_handlers=[list_proctors, appoint_proctor, dismiss_proctor, void_result])
