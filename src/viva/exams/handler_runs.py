"""Handler runs: contributed code decides an attempt in the background, so that no request waits for it."""

from typing import Any, NamedTuple

from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.exams import attempts, deciding, store
from viva.exams.handlers import contributed
from viva.exams.model import Outcome, Registration
from viva.jobs.model import Work
from viva.kit.db import Connection


class HandlerTask(NamedTuple):
    """An attempt for contributed code to decide."""

    evaluation: Evaluation  # the version that the attempt started with
    registration: Registration
    content: dict[str, Any]


def work() -> Work:
    """The background work "run_handler"."""
    return Work(read, think, keep)


def read(db: Connection, data: dict[str, Any]) -> HandlerTask | None:
    """The attempt to decide; None if it is decided or withdrawn."""
    registration = store.get(db, data["registration_id"])
    attempt = attempts.find_of(db, registration.id)
    if attempt is None or registration.status != "in_progress":
        return None
    evaluation = catalogue.get(db, registration.evaluation_id, registration.evaluation_version)
    return HandlerTask(evaluation, registration, attempt.content)


def think(task: HandlerTask | None) -> Outcome | None:
    """The outcome. If the sandbox is busy or its process dies, the error lets the job be tried again."""
    return task and contributed.find_outcome(task.evaluation, task.content)


def keep(db: Connection, task: HandlerTask | None, outcome: Outcome | None, is_last: bool) -> None:
    registration = store.hold_running(db, task.registration.id) if task else None
    if task and outcome and registration:
        deciding.keep_result(db, task.evaluation, registration, outcome)


def end_failed(db: Connection) -> int:
    """End attempts that the sandbox could not decide in any try. Returns how many there were."""
    return store.cancel_failed(db, "run_handler")
