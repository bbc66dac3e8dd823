"""Ending overdue attempts: saved answers are handed in; without any, the registration expires."""

import logging
from typing import Any, NamedTuple

from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import attempts, challenges, practising, store, submitting
from viva.exams.handlers.table import ANSWERING_HANDLERS
from viva.exams.model import Challenge, Decision, Registration
from viva.kit.clock import now
from viva.kit.db import Connection

ATTEMPTS_PER_SWEEP = 10  # ended in one transaction; few, because deciding a long benchmark blocks other writes

log = logging.getLogger(__name__)


class SavedAttempt(NamedTuple):
    """An attempt that the hub hands in for the candidate."""

    evaluation: Evaluation  # the version that the attempt started with
    content: dict[str, Any]
    decision: Decision


def end_overdue(db: Connection) -> int:
    """End the attempts whose time is over. Returns how many there were."""
    overdue = challenges.list_overdue(db, ATTEMPTS_PER_SWEEP)
    for challenge in overdue:
        end_attempt(db, challenge.registration_id)
    return len(overdue)


def end_if_overdue(db: Connection, registration: Registration | None) -> bool:
    """End the attempt if its time is over. Returns whether it was."""
    challenge = challenges.find_of(db, registration.id) if registration else None
    if challenge is None or challenge.used_at or challenge.expires_at > now():
        return False
    end_attempt(db, challenge.registration_id)
    return True


def end_attempt(db: Connection, registration_id: str) -> None:
    registration = store.hold_any(db, registration_id)
    challenge = challenges.find_of(db, registration_id)
    if challenge is None or challenge.used_at:  # handed in or ended while we waited for the lock
        return
    if registration.status != "in_progress":  # withdrawn
        challenges.drop(db, challenge)
        return
    try:
        saved, is_try = find_saved(db, registration, challenge), True
    except Exception:  # one attempt that cannot be decided must not block all others
        log.exception("Could not hand in what was saved for %s", registration.id)
        saved, is_try = None, False
    if saved:
        challenges.use(db, challenge)
        submitting.hand_in(db, saved.evaluation, registration, saved.content, saved.decision)
    else:
        challenges.drop(db, challenge)
        evaluation = evaluations.get(db, registration.evaluation_id)
        store.close(db, registration.id, "expired", is_try and practising.is_try(evaluation, registration))


def find_saved(db: Connection, registration: Registration, challenge: Challenge) -> SavedAttempt | None:
    """What to hand in for the candidate; None if nothing was saved."""
    evaluation = catalogue.get(db, registration.evaluation_id, registration.evaluation_version)
    answers = attempts.read_answers(db, registration.id)
    handler = ANSWERING_HANDLERS.get(evaluation.handler)
    if handler is None or not answers:
        return None
    content = handler.make_content(evaluation, challenge, answers)
    return SavedAttempt(evaluation, content, handler.decide(evaluation, content))
