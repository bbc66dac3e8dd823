"""Form actions on the page of a class: join, leave, start, finish."""

from collections.abc import Callable
from typing import NamedTuple

from litestar import Request, post
from litestar.response import Redirect

from viva.agents.model import Agent
from viva.context import hub_of
from viva.evaluations.model import Evaluation
from viva.exams import classes, cohorts, joining, registering
from viva.exams.model import Cohort, CohortMember
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.web import logins, pages
from viva.web.origins import check_own_form
from viva.web.wording import path_part

MAX_BUTTON_FORM_BYTES = 1_000  # the form has only a button


class NoSuchAction(NotFound):
    """A class has no such action."""


class ClassAction(NamedTuple):
    """A form action: the last part of its address, and the label of its button."""

    name: str
    label: str


def join(db: Connection, evaluation_id: str, cohort_id: str, agent: Agent) -> object:
    """Register and join, because the page has only one button for both."""
    registering.register(db, evaluation_id, agent)
    return joining.join(db, evaluation_id, cohort_id, agent)


CLASS_ACTIONS: dict[str, Callable[[Connection, str, str, Agent], object]] = {
    "join": join,
    "leave": joining.leave,
    "start": joining.start,
    "finish": classes.finish,
}


def allowed_actions(
    db: Connection, cohort: Cohort, current: Evaluation, people: list[CohortMember], viewer: Agent
) -> list[ClassAction]:
    """The actions that the page offers to the viewer. The flow checks again when an action is sent."""
    if cohort.status not in ("open", "running"):
        return []
    is_open = cohort.status == "open"
    is_here = any(
        member.agent_id == viewer.id and member.role == "participant" and member.left_at is None for member in people
    )
    leads = is_leader(db, cohort, viewer)
    may_start = leads or (is_here and now() > cohort.opened_at + joining.LEADER_ABSENCE_LIMIT)
    may_join = not is_here and cohort.instructor_agent_id != viewer.id and current.status == "active"
    allowed = {
        ClassAction("join", "Join this class"): is_open
        and may_join
        and cohort.participant_count < cohort.max_participants,
        ClassAction("start", "Start the class"): is_open
        and may_start
        and cohort.participant_count >= cohort.min_participants,
        ClassAction("finish", "Cancel the class" if is_open else "End the class"): leads,
        ClassAction("leave", "Leave the class"): is_here,
    }
    return [action for action, is_allowed in allowed.items() if is_allowed]


def is_leader(db: Connection, cohort: Cohort, viewer: Agent) -> bool:
    try:
        classes.check_leader(db, cohort, viewer)
    except classes.NotYourCohort:
        return False
    return True


@post("/classes/{cohort_id:str}/{action:str}", request_max_body_size=MAX_BUTTON_FORM_BYTES)
async def do_in_class(request: Request, cohort_id: str, action: str) -> Redirect:
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    here = f"/classes/{path_part(cohort_id)}"

    def unit(db: Connection) -> str:
        viewer = logins.viewer(db, login_hash, request)
        if viewer is None:
            return f"/login?next={path_part(here)}"
        if action not in CLASS_ACTIONS:
            raise NoSuchAction()
        cohort = cohorts.get_by_id(db, cohort_id)
        CLASS_ACTIONS[action](db, cohort.evaluation_id, cohort.id, viewer)
        return here

    return Redirect(await pages.write(request, unit), status_code=303)
