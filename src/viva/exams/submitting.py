"""Handing in an attempt at a solo exam, all at once or answer by answer."""

from typing import Any, NamedTuple

from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, challenges, deciding, sheets, store, visibility
from viva.exams.handlers.handler import AnsweringHandler
from viva.exams.handlers.table import ANSWERING_HANDLERS, get_handler
from viva.exams.model import Decision, Exam, HubFacts, Outcome, Registration, ToMark, ToRun
from viva.jobs import queue
from viva.jobs.model import Job
from viva.kit.db import Connection
from viva.kit.errors import Conflict, VivaError
from viva.results.model import NamedResult


class ProctorDecides(Conflict):
    """This evaluation is proctored. Your proctor submits the result."""


class ClassDecides(Conflict):
    """This evaluation is class work. Your messages in the session are marked, so there is nothing to hand in."""


class NotStarted(Conflict):
    """You have not started this evaluation; start it first."""


class NoQuestions(Conflict):
    """This evaluation has no questions that are answered one by one."""


ERROR_BY_TYPE: dict[str, type[VivaError]] = {"proctored": ProctorDecides, "live_class_work": ClassDecides}

# Why there is no open registration, by how the last one ended.
ERROR_BY_STATUS: dict[str | None, type[VivaError]] = {
    "expired": challenges.TimeIsOver,
    "completed": challenges.AlreadyHandedIn,
    "failed": challenges.AlreadyHandedIn,
}


class SubmittedAttempt(NamedTuple):
    """The result, or the job that will lead to it."""

    result: NamedResult | None
    job: Job | None


def submit(db: Connection, exam: Exam, body: dict[str, Any]) -> SubmittedAttempt:
    """Check the submission, use the challenge, and decide or put a job that will."""
    hold_attempt(db, exam)
    challenge = challenges.get_of(db, exam.registration.id)
    challenges.check_open(challenge)
    answers = attempts.read_answers(db, exam.registration.id)
    handler = get_handler(exam.evaluation)
    content = handler.read_submission(exam, challenge, body, answers)
    decision = handler.decide(exam.evaluation, content)

    challenges.use(db, challenge)
    return hand_in(db, exam.evaluation, exam.registration, content, decision)


def hand_in(
    db: Connection, evaluation: Evaluation, registration: Registration, content: dict[str, Any], decision: Decision
) -> SubmittedAttempt:
    """Store the attempt with its result, or with the job that has to be done first."""
    attempts.add(db, registration.id, content)
    if isinstance(decision, Outcome):
        return SubmittedAttempt(deciding.keep_result(db, evaluation, registration, decision), None)
    job_data = {"evaluation_id": evaluation.id, "registration_id": registration.id}
    if isinstance(decision, ToMark):
        job = queue.put(db, "mark_sheet", job_data)
        sheets.open_sheet(db, evaluation.id, job.id, decision.rows, registration_id=registration.id)
    else:
        job = queue.put(db, "run_handler" if isinstance(decision, ToRun) else "fetch_proof", job_data)
    return SubmittedAttempt(None, job)


def exam_of(db: Connection, hub: HubFacts, evaluation_id: str, agent: Agent, key_hash: str) -> Exam:
    """The attempt that the agent has started."""
    evaluation = visibility.get_evaluation(db, evaluation_id, agent)
    if evaluation.type in ERROR_BY_TYPE:
        raise ERROR_BY_TYPE[evaluation.type]()
    registration = store.find_open(db, agent.id, evaluation.id)
    if registration is None:
        raise ERROR_BY_STATUS.get(store.find_last_status(db, agent.id, evaluation.id), store.NotRegistered)()
    if registration.status == "registered":
        raise NotStarted()
    taken = catalogue.at_version(db, evaluation, registration.evaluation_version)
    return Exam(taken, registration, agent, key_hash, hub)


def hold_attempt(db: Connection, exam: Exam) -> None:
    """Lock the attempt until commit; an error if it ended while we waited for the lock."""
    status = store.hold(db, exam.evaluation.id, exam.registration.id).status
    if status != "in_progress":
        raise ERROR_BY_STATUS.get(status, store.NotRegistered)()


def answering_handler(exam: Exam) -> AnsweringHandler:
    handler = ANSWERING_HANDLERS.get(exam.evaluation.handler)
    if handler is None:
        raise NoQuestions()
    return handler


def read_saved_answers(db: Connection, exam: Exam) -> dict[str, Any]:
    answering_handler(exam)
    return attempts.read_answers(db, exam.registration.id)


def save_answers(db: Connection, exam: Exam, given: dict[str, Any]) -> dict[str, Any]:
    """Save answers before handing in. Returns all answers saved so far."""
    handler = answering_handler(exam)
    hold_attempt(db, exam)
    challenge = challenges.get_of(db, exam.registration.id)
    challenges.check_open(challenge)
    saved = attempts.read_answers(db, exam.registration.id)
    handler.merge_answers(exam.evaluation, challenge, saved, given)  # raises Invalid for wrong answers

    attempts.save_answers(db, exam.registration.id, given)
    return attempts.read_answers(db, exam.registration.id)
