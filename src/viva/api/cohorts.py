"""Routes of class work: open a cohort, see who is in it, join, leave, start, finish."""

from typing import Annotated, Literal

from litestar import Router
from msgspec import Meta, Struct

from viva.agents.model import Agent
from viva.api.exams import RegistrationView, view
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.route_spec import ReadAgain, StatusAnswer
from viva.api.routing import get, post
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import classes, cohorts, gathering, members, registering, sheets, store
from viva.exams.classes import CohortView
from viva.exams.gathering import ClassRole, CohortSeat
from viva.exams.model import Cohort, CohortMember
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor

CohortStatus = Literal["open", "running", "finished", "cancelled"]


class OpenBody(Struct, forbid_unknown_fields=True):
    """Without a `role` you open it as its first participant if you are registered, else as its instructor."""

    role: Annotated[ClassRole, Meta(description="instructor or participant")] | None = None


class CohortsPage(Struct):
    cohorts: list[Cohort]
    next_cursor: str | None


class OneCohort(Struct):
    """`job_id` is the work of marking, once the cohort is finished."""

    cohort: CohortView
    participants: list[CohortMember]
    session_id: str | None
    job_id: str | None


class CohortPlace(Struct, omit_defaults=True):
    """A cohort, and your registration unless you are its instructor."""

    cohort: CohortView
    registration: RegistrationView | None = None


ASKING = (NoSuchEvaluation, classes.NotClassWork, cohorts.NoSuchCohort)
JOINING = (store.NotRegistered, registering.NotActive, gathering.AlreadyInACohort)


def place(db: Connection, joined: CohortSeat) -> CohortPlace:
    registration = view(joined.registration).registration if joined.registration else None
    return CohortPlace(classes.view(db, joined.cohort), registration)


def one(db: Connection, cohort: Cohort) -> OneCohort:
    people, job_id = members.people(db, cohort), sheets.job_id_of(db, cohort.id)
    return OneCohort(classes.view(db, cohort), people, cohort.session_id, job_id)


def reference_of_place(place: CohortPlace) -> str:
    return f"{place.cohort.id} {place.registration.id if place.registration else ''}"


def read_place(db: Connection, reference: str) -> CohortPlace:
    cohort_id, _, registration_id = reference.partition(" ")
    registration = store.get(db, registration_id) if registration_id else None
    return place(db, CohortSeat(registration, cohorts.with_id(db, cohort_id)))


def read_cohort(db: Connection, reference: str) -> OneCohort:
    return one(db, cohorts.with_id(db, reference))


READ_PLACE_AGAIN = ReadAgain(reference_of_place, read_place)
READ_COHORT_AGAIN = ReadAgain(lambda answer: str(answer.cohort.id), read_cohort)


@post(
    "/",
    NoSuchEvaluation,
    classes.NotClassWork,
    registering.CannotBeTaken,
    gathering.TooManyCohorts,
    *JOINING,
    read_again=READ_PLACE_AGAIN,
)
def open_cohort(db: Connection, caller: Agent, evaluation_id: str, data: OpenBody) -> CohortPlace:
    """Open a cohort, which you then lead: as its instructor, or as its first participant."""
    return place(db, gathering.open_cohort(db, evaluation_id, caller, data.role))


@get("/", NoSuchEvaluation, classes.NotClassWork, BadCursor)
def list_cohorts(
    db: Connection,
    viewer: Agent | None,
    evaluation_id: str,
    status: CohortStatus | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> CohortsPage:
    """The cohorts of the evaluation, newest first."""
    evaluation = classes.class_work(db, evaluation_id, viewer)
    return CohortsPage(*cohorts.list_cohorts(db, evaluation.id, status, limit, cursor))


@get("/{cohort_id:str}", *ASKING)
def show_cohort(db: Connection, viewer: Agent | None, evaluation_id: str, cohort_id: str) -> OneCohort:
    """A cohort with its task, its people, and the session in which they work."""
    evaluation = classes.class_work(db, evaluation_id, viewer)
    return one(db, cohorts.get(db, evaluation.id, cohort_id))


@post(
    "/{cohort_id:str}/join",
    *ASKING,
    *JOINING,
    gathering.OwnClass,
    gathering.CohortFull,
    gathering.CohortNotOpen,
    also=200,
    read_again=READ_PLACE_AGAIN,
)
def join(db: Connection, caller: Agent, evaluation_id: str, cohort_id: str) -> StatusAnswer[CohortPlace]:
    """Take a seat; the last one starts the class. Once more gives the same place, with status 200."""
    joined = gathering.join(db, evaluation_id, cohort_id, caller)
    return StatusAnswer(201 if joined.is_new else 200, place(db, joined))


@post(
    "/{cohort_id:str}/leave",
    *ASKING,
    gathering.NotInThisCohort,
    classes.ClassIsOver,
    status=200,
    read_again=READ_PLACE_AGAIN,
)
def leave(db: Connection, caller: Agent, evaluation_id: str, cohort_id: str) -> CohortPlace:
    """Leave, which cancels your registration and costs no try; of a running class you can still read the session."""
    return place(db, gathering.leave(db, evaluation_id, cohort_id, caller))


@post(
    "/{cohort_id:str}/start",
    *ASKING,
    classes.NotYourCohort,
    gathering.CohortNotOpen,
    gathering.TooFew,
    status=200,
    read_again=READ_COHORT_AGAIN,
)
def start(db: Connection, caller: Agent, evaluation_id: str, cohort_id: str) -> OneCohort:
    """Begin the class that you lead: its session opens, and its time runs."""
    return one(db, gathering.start(db, evaluation_id, cohort_id, caller))


@post(
    "/{cohort_id:str}/finish",
    *ASKING,
    classes.NotYourCohort,
    classes.CohortNotRunning,
    status=200,
    read_again=READ_COHORT_AGAIN,
)
def finish(db: Connection, caller: Agent, evaluation_id: str, cohort_id: str) -> OneCohort:
    """End the class that you lead; its work is marked, or it is cancelled where it had not begun or too few have stayed."""
    return one(db, classes.finish(db, evaluation_id, cohort_id, caller))


router = Router(
    "/evaluations/{evaluation_id:str}/cohorts",
    route_handlers=[open_cohort, list_cohorts, show_cohort, join, leave, start, finish],
)
