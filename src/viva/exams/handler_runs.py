"""Handler runs: contributed code decides an attempt in the background, so that no request waits for it.

If the code fails, the attempt stays undecided, and a proctor marks the answer."""

from typing import Any, NamedTuple

from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, deciding, sheets, store
from viva.exams.handlers import contributed
from viva.exams.model import Outcome, Registration, Undecided
from viva.jobs.model import Work
from viva.kit.db import Connection

RUN_WORK = "run_handler"
NEVER_RUN_REASON = "The code could not be run."
MAX_FAILED_PER_SWEEP = 100  # in one transaction


class HandlerTask(NamedTuple):
    """An attempt for contributed code to decide."""

    evaluation: Evaluation  # the version that the attempt started with
    registration: Registration
    content: dict[str, Any]


def work() -> Work:
    """The background work "run_handler"."""
    return Work(read, think, keep)


def read(db: Connection, data: dict[str, Any]) -> HandlerTask | None:
    """The attempt to decide; None if it is decided or withdrawn, or left to proctors."""
    registration = store.get(db, data["registration_id"])
    attempt = attempts.find_of(db, registration.id)
    if attempt is None or registration.status != "in_progress" or sheets.has_sheet(db, registration.id):
        return None
    evaluation = catalogue.get(db, registration.evaluation_id, registration.evaluation_version)
    return HandlerTask(evaluation, registration, attempt.content)


def think(task: HandlerTask | None) -> Outcome | Undecided | None:
    """The outcome. If the sandbox is busy or its process dies, the error lets the job be tried again."""
    return task and contributed.find_outcome(task.evaluation, task.content)


def keep(db: Connection, task: HandlerTask | None, outcome: Outcome | Undecided | None, is_last: bool) -> None:
    registration = store.hold_running(db, task.registration.id) if task else None
    if task is None or outcome is None or registration is None:
        return
    if isinstance(outcome, Undecided):
        leave_to_proctors(db, registration, task.content, outcome.reason)
    else:
        deciding.keep_result(db, task.evaluation, registration, outcome)


def leave_to_proctors(db: Connection, registration: Registration, content: dict[str, Any], reason: str) -> None:
    """Open a sheet for proctors. The caller holds the registration. The candidate follows the job that it knows."""
    job_id = store.get_unfinished_job_id(db, RUN_WORK, registration.id)
    attempts.change_content(db, registration.id, content | {contributed.FAILURE_KEY: reason})
    rows = contributed.make_rows(content, reason)
    sheet = sheets.open_sheet(db, registration.evaluation_id, job_id, rows, registration_id=registration.id)
    sheets.give_to_proctors(db, sheet.id)


def leave_failed_to_proctors(db: Connection) -> int:
    """Leave the attempts whose job has failed to proctors. Returns how many there were."""
    left = 0
    for registration_id in store.list_with_failed_job(db, RUN_WORK, MAX_FAILED_PER_SWEEP):
        registration, attempt = store.hold_running(db, registration_id), attempts.find_of(db, registration_id)
        if registration and attempt and not sheets.has_sheet(db, registration_id):
            leave_to_proctors(db, registration, attempt.content, NEVER_RUN_REASON)
            left += 1
    return left
