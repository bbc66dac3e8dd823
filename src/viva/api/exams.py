"""Routes of a candidate: register for an evaluation, start, answer, submit, withdraw."""

from typing import Any, TypeVar

from litestar import Router
from msgspec import Struct, structs

from viva.agents.model import Agent
from viva.api.examples import STARTED_EXAMPLES, STARTED_FORMS, SUBMISSION_EXAMPLES, SUBMISSION_FORMS
from viva.api.long_polls import JSON_WITH_NEWS, WaitSeconds
from viva.api.registration_view import RegistrationView
from viva.api.route_spec import PolledAnswer, ReadAgain, StatusAnswer
from viva.api.routing import get, post
from viva.context import HubContext
from viva.evaluations import catalogue
from viva.evaluations.item_filling import QuestionNotMade
from viva.evaluations.published_digest import publish_digest
from viva.evaluations.store import NoSuchEvaluation
from viva.exams import (
    a2a_addresses,
    challenges,
    key_readers,
    practising,
    progress,
    prospects,
    registering,
    starting,
    store,
    submitting,
)
from viva.exams.classes import ClassIsOver, PublishedCohort
from viva.exams.handlers.account_verification import NoPagesFetched, NotClaimed
from viva.exams.handlers.agent_certification import WrongNonce
from viva.exams.handlers.answering import AnswersTooLarge
from viva.exams.handlers.benchmark import AnswersById
from viva.exams.handlers.contributed import HandlerFailed
from viva.exams.handlers.transcripts import BadTranscript
from viva.exams.joining import AlreadyInACohort
from viva.exams.model import HubFacts, Registration, StartedAttempt
from viva.exams.progress import Progress
from viva.exams.revealing import ShownResult, show_result
from viva.exams.states import find_state
from viva.jobs.queue import NoSuchJob
from viva.kit.db import Connection
from viva.results import store as results
from viva.sandbox.model import SandboxUnavailable
from viva.sessions.feed import TooManyStreams


class OneRegistration(Struct):
    registration: RegistrationView


class AttemptBody(Struct, forbid_unknown_fields=True):
    """With `practice`, the attempt never counts, and its result is private to you."""

    practice: bool = False


class StartBody(AttemptBody, forbid_unknown_fields=True):
    """With `practice`, the attempt never counts, and its result is private to you. With `a2a_url` in a proctored
    evaluation, the hub passes on each message of the proctor to the A2A agent there, and its replies are your messages."""

    a2a_url: str | None = None


class AnswersBody(Struct, forbid_unknown_fields=True):
    """Answers by the ids of their questions."""

    answers: AnswersById


class SavedAnswers(Struct):
    answers: dict[str, Any]


class SubmittedView(Struct, omit_defaults=True):
    """The result if it was decided at once, else the job that will decide it."""

    result: ShownResult | None = None
    job_id: str | None = None
    job: Progress | None = None


class OneProgress(Struct):
    job: Progress


def view(db: Connection, registration: Registration, hub: HubFacts) -> OneRegistration:
    names = [name for name in RegistrationView.__struct_fields__ if hasattr(registration, name)]
    fields: dict[str, Any] = {name: getattr(registration, name) for name in names}
    fields["state"] = find_state(db, registration)
    return OneRegistration(RegistrationView(**fields | publish_digest(hub.secret, registration.evaluation_digest)))


ATTEMPT_ERRORS = (
    NoSuchEvaluation,
    submitting.ProctorDecides,
    submitting.ClassDecides,
    store.NotRegistered,
    submitting.NotStarted,
)
CHALLENGE_ERRORS = (challenges.AlreadyHandedIn, challenges.TimeIsOver, challenges.NoSuchChallenge)


@post(
    "/register",
    NoSuchEvaluation,
    registering.NotActive,
    registering.EvaluationClosed,
    registering.CannotBeTaken,
    registering.PrerequisitesMissing,
    registering.NoTriesLeft,
    registering.CoolingDown,
    practising.NoPractice,
    store.NotRegistered,
    other_status=200,
)
def register(
    db: Connection, caller: Agent, hub: HubContext, evaluation_id: str, data: AttemptBody
) -> StatusAnswer[OneRegistration]:
    """Register for an evaluation. While your registration is open, a second call gives the same one, with status 200.

    Where items are drawn or have parameters, you may practise without using a try: say so here and at the start."""
    registration, is_new = registering.register(db, evaluation_id, caller, data.practice)
    return StatusAnswer(201 if is_new else 200, view(db, registration, hub))


def reference_of_start(started: dict[str, Any]) -> str:
    return str(started["registration"].id)


def read_started(db: Connection, caller: Agent, key_hash: str, hub: HubContext, reference: str) -> dict[str, Any]:
    return show_started(db, hub, starting.read_started(db, hub, reference, caller, key_hash))


def show_started(db: Connection, hub: HubContext, started: StartedAttempt) -> dict[str, Any]:
    registration, details = started.registration, dict(started.details)
    if "cohort" in details:
        details["cohort"] = publish_cohort(details["cohort"], hub)
    evaluation = catalogue.get(db, registration.evaluation_id, registration.evaluation_version)
    has_read_keys = key_readers.is_informed(db, registration)
    prospect = prospects.foresee(hub.proctors, evaluation, registration.is_practice, has_read_keys)
    worth = {"official": prospect.official, "official_reasons": prospect.reasons, "official_note": prospect.sentence}
    return {"registration": view(db, registration, hub).registration, **details, **worth}


PublicCohort = TypeVar("PublicCohort", bound=PublishedCohort)


def publish_cohort(cohort: PublicCohort, hub: HubFacts) -> PublicCohort:
    return structs.replace(cohort, **publish_digest(hub.secret, cohort.evaluation_digest))


@post(
    "/start",
    NoSuchEvaluation,
    store.NotRegistered,
    registering.NotActive,
    AlreadyInACohort,
    challenges.NoSuchChallenge,
    HandlerFailed,
    SandboxUnavailable,
    QuestionNotMade,
    practising.NoPractice,
    practising.StartedOtherwise,
    a2a_addresses.BadA2aUrl,
    a2a_addresses.NoConversation,
    a2a_addresses.StartedWithoutAgent,
    status=200,
    read_again=ReadAgain(reference_of_start, read_started),
    body_examples={
        "official": {"summary": "It counts", "value": {}},
        "practice": {"summary": "Practice", "value": {"practice": True}},
        "a2a": {"summary": "Your A2A agent answers", "value": {"a2a_url": "https://agent.example"}},
    },
    answer_forms=STARTED_FORMS,
    answer_examples=STARTED_EXAMPLES,
)
def start(
    db: Connection, caller: Agent, key_hash: str, hub: HubContext, evaluation_id: str, data: StartBody
) -> dict[str, Any]:
    """Start the attempt. This fixes its version and grading.

    Besides `registration`, the answer has what the type needs: a challenge, questions, probes with a nonce, or a cohort.
    `official` says whether the result will count, with `official_reasons` if not. It is null if that depends on a proctor."""
    return show_started(db, hub, starting.start(db, hub, evaluation_id, caller, key_hash, data.practice, data.a2a_url))


@get("/challenge/{challenge_id:str}", *ATTEMPT_ERRORS, *CHALLENGE_ERRORS)
def show_challenge(
    db: Connection, caller: Agent, key_hash: str, hub: HubContext, evaluation_id: str, challenge_id: str
) -> dict[str, Any]:
    """Show your challenge again, as the start gave it."""
    exam = submitting.exam_of(db, hub, evaluation_id, caller, key_hash)
    return starting.show_again(db, exam, challenge_id)


def read_answers(db: Connection, caller: Agent, key_hash: str, hub: HubContext, evaluation_id: str) -> SavedAnswers:
    """Show your saved answers."""
    exam = submitting.exam_of(db, hub, evaluation_id, caller, key_hash)
    return SavedAnswers(submitting.read_saved_answers(db, exam))


show_answers = get("/answers", *ATTEMPT_ERRORS, *CHALLENGE_ERRORS, submitting.NoQuestions)(read_answers)


@post(
    "/answers",
    *ATTEMPT_ERRORS,
    *CHALLENGE_ERRORS,
    submitting.NoQuestions,
    AnswersTooLarge,
    status=200,
    read_again=ReadAgain(lambda saved: "", read_answers),
)
def save_answers(
    db: Connection, caller: Agent, key_hash: str, hub: HubContext, evaluation_id: str, data: AnswersBody
) -> SavedAnswers:
    """Save answers before you submit. A later answer to a question replaces an earlier one."""
    exam = submitting.exam_of(db, hub, evaluation_id, caller, key_hash)
    return SavedAnswers(submitting.save_answers(db, exam, data.answers))


def reference_of_submission(submitted: SubmittedView) -> str:
    return submitted.result.id if submitted.result else ""


def read_submitted(db: Connection, caller: Agent, hub: HubContext, reference: str) -> SubmittedView:
    return SubmittedView(show_result(db, hub, results.get(db, reference), caller))


@post(
    "/submit",
    *ATTEMPT_ERRORS,
    *CHALLENGE_ERRORS,
    WrongNonce,
    BadTranscript,
    NotClaimed,
    NoPagesFetched,
    AnswersTooLarge,
    other_status=202,
    read_again=ReadAgain(reference_of_submission, read_submitted),
    body_forms=SUBMISSION_FORMS,
    body_examples=SUBMISSION_EXAMPLES,
)
def submit(
    db: Connection, caller: Agent, key_hash: str, hub: HubContext, evaluation_id: str, data: dict[str, Any]
) -> StatusAnswer[SubmittedView]:
    """Submit your attempt. The answer has the `result` if it is decided at once, else the `job_id` that will decide it."""
    exam = submitting.exam_of(db, hub, evaluation_id, caller, key_hash)
    result, job = submitting.submit(db, exam, data)
    if job is None:
        return StatusAnswer(201, SubmittedView(show_result(db, hub, result, caller) if result else None))
    return StatusAnswer(202, SubmittedView(None, job.id, progress.progress_of(db, job, caller)))


@get("/job/{job_id:str}", NoSuchEvaluation, NoSuchJob, TooManyStreams, response=JSON_WITH_NEWS)
def show_job(
    db: Connection, caller: Agent, evaluation_id: str, job_id: str, wait: WaitSeconds = 0
) -> PolledAnswer[OneProgress]:
    """Show the status of the job on your attempt: waiting, running, done with its `result_id`, or failed.

    With `wait`, the answer comes once it is done or has failed, or after these seconds."""
    job = progress.get_progress(db, evaluation_id, job_id, caller)
    has_news = job.result_id is not None or job.status in ("done", "failed")
    return PolledAnswer(OneProgress(job), has_news, wait, (job.id, caller.id))


@post("/cancel", NoSuchEvaluation, store.NotRegistered, challenges.AlreadyHandedIn, ClassIsOver, status=200)
def cancel(db: Connection, caller: Agent, hub: HubContext, evaluation_id: str) -> OneRegistration:
    """Withdraw from the evaluation. A running session ends without a verdict."""
    return view(db, registering.cancel(db, evaluation_id, caller), hub)


router = Router(
    "/evaluations/{evaluation_id:str}",
    route_handlers=[register, start, show_challenge, show_answers, save_answers, submit, show_job, cancel],
)
