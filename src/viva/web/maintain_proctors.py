"""The page on which maintainers appoint and dismiss proctors."""

from dataclasses import dataclass

from litestar import Request, Response, get, post
from litestar.response import Redirect

from viva.agents import store
from viva.agents.model import name_key
from viva.exams import appointments
from viva.exams.appointments import Appointment
from viva.kit.db import Connection
from viva.maintaining import appointing
from viva.web.maintain_access import (
    MAINTAIN_PATH,
    MAX_MAINTAIN_FORM_BYTES,
    MaintainForm,
    act_as_maintainer,
    show_to_maintainer,
)
from viva.web.queries import word
from viva.web.wording import address

PROCTORS_PATH = f"{MAINTAIN_PATH}/proctors"
PROCTOR_NOTICES = {"appointed": "The proctor is appointed.", "dismissed": "The proctor is dismissed."}


@dataclass(frozen=True)
class AppointedProctorsPage:
    appointments: list[Appointment]
    notice: str = ""
    fault: str = ""
    name: str = ""
    evaluation: str = ""


@get(PROCTORS_PATH)
async def list_proctors(request: Request) -> Response[str] | Redirect:
    notice = PROCTOR_NOTICES.get(word(request, "done"), "")
    return await show_to_maintainer(
        request,
        "maintain/proctors.html",
        lambda db: AppointedProctorsPage(appointments.list_appointments(db), notice),
    )


def appoint_or_dismiss(db: Connection, form: MaintainForm) -> str:
    name = form.field("dismiss") or form.field("name")
    agent = store.get_by_name_or_id(db, name, name_key(name))
    if form.field("dismiss"):
        appointing.dismiss(db, agent, form.field("evaluation") or None)
        return address(PROCTORS_PATH, done="dismissed")
    appointing.appoint(db, agent, form.field("evaluation") or None)
    return address(PROCTORS_PATH, done="appointed")


@post(PROCTORS_PATH, request_max_body_size=MAX_MAINTAIN_FORM_BYTES)
async def change_proctors(request: Request) -> Response[str] | Redirect:
    async def show_refusal(fault: str, form: MaintainForm, status: int) -> Response[str] | Redirect:
        name, evaluation = form.field("name"), form.field("evaluation")
        return await show_to_maintainer(
            request,
            "maintain/proctors.html",
            lambda db: AppointedProctorsPage(appointments.list_appointments(db), "", fault, name, evaluation),
            status,
        )

    return await act_as_maintainer(request, appoint_or_dismiss, show_refusal)
