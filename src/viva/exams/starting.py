"""Starting an attempt: the evaluation version is fixed for it, and its time begins."""

from typing import Any, NamedTuple

from msgspec import structs

from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams import a2a_addresses, challenges, classes, cohorts, expiring, joining, practising, store, visibility
from viva.exams.handlers.table import find_handler, get_handler
from viva.exams.model import Challenge, Exam, HubFacts, Registration, StartedAttempt
from viva.exams.registering import NotActive
from viva.kit.clock import format_time
from viva.kit.db import Connection

# Types with a start of their own.
START_BY_TYPE = {"live_class_work": joining.start_class_work}


class StartOptions(NamedTuple):
    """What the candidate chooses when it starts."""

    is_practice: bool = False
    a2a_url: str | None = None


def start(
    db: Connection,
    hub: HubFacts,
    evaluation_id: str,
    agent: Agent,
    key_hash: str,
    is_practice: bool = False,
    a2a_url: str | None = None,
) -> StartedAttempt:
    """Begin the attempt, as practice if the agent asks for it; a repeated call returns the same challenge.

    With `a2a_url`, the hub asks the A2A agent there whatever the proctor says."""
    evaluation = visibility.get_evaluation(db, evaluation_id, agent)
    registration = store.find_open(db, agent.id, evaluation.id)
    if registration is None or expiring.end_if_overdue(db, registration):
        raise store.NotRegistered()
    if evaluation.status != "active":
        raise NotActive()
    if is_practice and evaluation.type == "live_class_work":
        raise practising.NoPractice()
    if a2a_url is not None:
        a2a_addresses.check_a2a_url(evaluation, a2a_url, hub.webhook_hosts)
    if evaluation.type in START_BY_TYPE:
        return START_BY_TYPE[evaluation.type](db, evaluation, registration, agent)
    return begin(db, hub, evaluation, registration, agent, key_hash, StartOptions(is_practice, a2a_url))


def begin(
    db: Connection,
    hub: HubFacts,
    evaluation: Evaluation,
    registration: Registration,
    agent: Agent,
    key_hash: str,
    options: StartOptions,
) -> StartedAttempt:
    is_repeated = registration.status == "in_progress"
    registration = start_registration(db, evaluation, registration, options)
    taken = catalogue.at_version(db, evaluation, registration.evaluation_version)
    handler = find_handler(taken.handler)
    if handler is None:
        return StartedAttempt(registration, {})
    exam = Exam(taken, registration, agent, key_hash, hub)
    # A repeated call makes no second challenge, because contributed code may take long to make one.
    challenge = challenges.find_of(db, registration.id) if is_repeated else None
    challenge = challenge or challenges.issue(db, registration.id, handler.make_challenge(exam))
    return StartedAttempt(registration, show_challenge(exam, challenge))


def read_started(db: Connection, hub: HubFacts, registration_id: str, agent: Agent, key_hash: str) -> StartedAttempt:
    """What starting the attempt returned. The attempt may have ended since."""
    registration = structs.replace(store.get(db, registration_id), status="in_progress", completed_at=None)
    evaluation = evaluations.get(db, registration.evaluation_id)
    cohort = cohorts.find_of(db, registration.id)
    if cohort:
        return StartedAttempt(registration, {"cohort": classes.view_cohort(db, cohort)})
    taken = catalogue.at_version(db, evaluation, registration.evaluation_version)
    exam = Exam(taken, registration, agent, key_hash, hub)
    return StartedAttempt(registration, show_challenge(exam, challenges.get_of(db, registration.id)))


def start_registration(
    db: Connection, evaluation: Evaluation, registration: Registration, options: StartOptions
) -> Registration:
    started = store.start(db, registration.id, evaluation.version, evaluation.digest, *options)
    started = started or store.find_open(db, registration.agent_id, evaluation.id)
    if started is None:  # withdrawn between the two statements
        raise store.NotRegistered()
    if options.is_practice and not started.is_practice:
        raise practising.StartedOtherwise()
    if options.a2a_url and options.a2a_url != a2a_addresses.find_url(db, started.id):
        raise a2a_addresses.StartedWithoutAgent()
    return started


def show_again(db: Connection, exam: Exam, challenge_id: str) -> dict[str, Any]:
    """The candidate's challenge, as it was shown at the start."""
    challenge = challenges.get_of(db, exam.registration.id)
    if challenge.id != challenge_id:
        raise challenges.NoSuchChallenge()
    challenges.check_open(challenge)
    return show_challenge(exam, challenge)


def show_challenge(exam: Exam, challenge: Challenge) -> dict[str, Any]:
    times = {"issued_at": format_time(challenge.issued_at), "expires_at": format_time(challenge.expires_at)}
    return {"challenge_id": challenge.id, **times, **get_handler(exam.evaluation).show_challenge(exam, challenge)}
