"""What happens when the time of an attempt is over: saved answers are handed in, else the registration expires."""

from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.exams import attempts, challenges, store, submitting
from viva.exams.handlers import benchmark
from viva.exams.model import Registration
from viva.kit.clock import now
from viva.kit.db import Connection

SWEEP = 100  # attempts ended at one time


def end_overdue(db: Connection) -> int:
    """End the attempts whose time is over; how many there were."""
    overdue = challenges.overdue(db, SWEEP)
    for challenge in overdue:
        end(db, challenge.registration_id)
    return len(overdue)


def end_if_overdue(db: Connection, registration: Registration | None) -> bool:
    """End the attempt if its time is over; whether it was."""
    challenge = challenges.find_of(db, registration.id) if registration else None
    if challenge is None or challenge.used_at or challenge.expires_at > now():
        return False
    end(db, challenge.registration_id)
    return True


def end(db: Connection, registration_id: str) -> None:
    registration = store.hold_any(db, registration_id)
    challenge = challenges.find_of(db, registration_id)
    if challenge is None or challenge.used_at:  # handed in, or ended by another, while we waited for the lock
        return
    if registration.status != "in_progress":  # withdrawn
        challenges.drop(db, challenge)
        return
    evaluation = evaluations.get(db, registration.evaluation_id)
    answers = attempts.answers(db, registration.id)
    if answers and evaluation.handler == "benchmark":
        taken = catalogue.at_version(db, evaluation, registration.evaluation_version)
        challenges.use(db, challenge, challenge.expires_at)
        submitting.hand_in(db, taken, registration, benchmark.content(taken, challenge, answers))
    else:
        challenges.drop(db, challenge)
        store.close(db, registration.id, "expired")
