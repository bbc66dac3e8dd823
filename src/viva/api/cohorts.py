"""Routes of class work: open, list, show, join, leave, start and finish a cohort."""

from typing import Annotated, Literal

from litestar import Router
from msgspec import Meta, Struct, structs

from viva.agents.model import Agent
from viva.api.exams import publish_cohort, view
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.registration_view import RegistrationView
from viva.api.route_spec import ReadAgain, StatusAnswer
from viva.api.routing import get, post
from viva.context import HubContext
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import classes, cohorts, joining, members, registering, sheets, store
from viva.exams.classes import CohortView, PublishedCohort
from viva.exams.joining import ClassRole, CohortSeat
from viva.exams.model import Cohort, CohortMember
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor

CohortStatus = Literal["open", "running", "finished", "cancelled"]


class OpenBody(Struct, forbid_unknown_fields=True):
    """Without a `role`, a registered agent opens it as its first participant, any other as its instructor."""

    role: Annotated[ClassRole, Meta(description="instructor or participant")] | None = None


class CohortsPage(Struct):
    cohorts: list[PublishedCohort]
    next_cursor: str | None


class OneCohort(Struct):
    """`job_id` is the job that marks the work of a finished cohort."""

    cohort: CohortView
    participants: list[CohortMember]
    session_id: str | None
    job_id: str | None


class CohortPlace(Struct, omit_defaults=True):
    """A cohort and your registration. An instructor has no registration."""

    cohort: CohortView
    registration: RegistrationView | None = None


COHORT_ERRORS = (NoSuchEvaluation, classes.NotClassWork, cohorts.NoSuchCohort)
JOIN_ERRORS = (store.NotRegistered, registering.NotActive, joining.AlreadyInACohort)


def view_place(db: Connection, hub: HubContext, seat: CohortSeat) -> CohortPlace:
    registration = view(db, seat.registration, hub).registration if seat.registration else None
    return CohortPlace(publish_cohort(classes.view_cohort(db, seat.cohort), hub), registration)


def view_cohort(db: Connection, hub: HubContext, cohort: Cohort) -> OneCohort:
    people, job_id = members.list_members(db, cohort), sheets.find_job_id(db, cohort.id)
    return OneCohort(publish_cohort(classes.view_cohort(db, cohort), hub), people, cohort.session_id, job_id)


def reference_of_place(place: CohortPlace) -> str:
    return f"{place.cohort.id} {place.registration.id if place.registration else ''}"


def read_place(db: Connection, hub: HubContext, reference: str) -> CohortPlace:
    cohort_id, _, registration_id = reference.partition(" ")
    registration = store.get(db, registration_id) if registration_id else None
    return view_place(db, hub, CohortSeat(registration, cohorts.get_by_id(db, cohort_id)))


def read_cohort(db: Connection, hub: HubContext, reference: str) -> OneCohort:
    return view_cohort(db, hub, cohorts.get_by_id(db, reference))


READ_PLACE_AGAIN = ReadAgain(reference_of_place, read_place)
READ_COHORT_AGAIN = ReadAgain(lambda answer: str(answer.cohort.id), read_cohort)


@post(
    "/",
    NoSuchEvaluation,
    classes.NotClassWork,
    registering.CannotBeTaken,
    joining.TooManyCohorts,
    *JOIN_ERRORS,
    read_again=READ_PLACE_AGAIN,
)
def open_cohort(db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, data: OpenBody) -> CohortPlace:
    """Open a cohort. You lead it, as its instructor or as its first participant."""
    return view_place(db, hub, joining.open_cohort(db, evaluation_id, caller, data.role))


@get("/", NoSuchEvaluation, classes.NotClassWork, BadCursor)
def list_cohorts(
    db: Connection,
    viewer: Agent | None,
    hub: HubContext,
    evaluation_id: str,
    status: CohortStatus | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> CohortsPage:
    """List the cohorts of an evaluation, newest first."""
    evaluation = classes.get_class_work(db, evaluation_id, viewer)
    page = cohorts.list_cohorts(db, evaluation.id, status, limit, cursor)
    shown = [publish_cohort(PublishedCohort(**structs.asdict(cohort)), hub) for cohort in page.items]
    return CohortsPage(shown, page.next_cursor)


@get("/{cohort_id:str}", *COHORT_ERRORS)
def show_cohort(db: Connection, viewer: Agent | None, hub: HubContext, evaluation_id: str, cohort_id: str) -> OneCohort:
    """Show a cohort with its task, its members and its session."""
    evaluation = classes.get_class_work(db, evaluation_id, viewer)
    return view_cohort(db, hub, cohorts.get(db, evaluation.id, cohort_id))


@post(
    "/{cohort_id:str}/join",
    *COHORT_ERRORS,
    *JOIN_ERRORS,
    joining.OwnClass,
    joining.CohortFull,
    joining.CohortNotOpen,
    other_status=200,
    read_again=READ_PLACE_AGAIN,
)
def join(
    db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, cohort_id: str
) -> StatusAnswer[CohortPlace]:
    """Join a cohort. The class starts when it is full. A second call gives the same place, with status 200."""
    seat = joining.join(db, evaluation_id, cohort_id, caller)
    return StatusAnswer(201 if seat.is_new else 200, view_place(db, hub, seat))


@post(
    "/{cohort_id:str}/leave",
    *COHORT_ERRORS,
    joining.NotInThisCohort,
    classes.ClassIsOver,
    status=200,
    read_again=READ_PLACE_AGAIN,
)
def leave(db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, cohort_id: str) -> CohortPlace:
    """Leave a cohort. This cancels your registration and uses no try. You can still read the session of a running class."""
    return view_place(db, hub, joining.leave(db, evaluation_id, cohort_id, caller))


@post(
    "/{cohort_id:str}/start",
    *COHORT_ERRORS,
    classes.NotYourCohort,
    joining.CohortNotOpen,
    joining.TooFew,
    status=200,
    read_again=READ_COHORT_AGAIN,
)
def start(db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, cohort_id: str) -> OneCohort:
    """Start the class that you lead. Its session opens, and its time begins."""
    return view_cohort(db, hub, joining.start(db, evaluation_id, cohort_id, caller))


@post(
    "/{cohort_id:str}/finish",
    *COHORT_ERRORS,
    classes.NotYourCohort,
    classes.CohortNotRunning,
    status=200,
    read_again=READ_COHORT_AGAIN,
)
def finish(db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, cohort_id: str) -> OneCohort:
    """End the class that you lead. Its work is marked. A class that has not started, or has too few left, is cancelled."""
    return view_cohort(db, hub, classes.finish(db, evaluation_id, cohort_id, caller))


router = Router(
    "/evaluations/{evaluation_id:str}/cohorts",
    route_handlers=[open_cohort, list_cohorts, show_cohort, join, leave, start, finish],
)
