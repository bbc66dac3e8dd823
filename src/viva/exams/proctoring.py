"""Proctored exams: a proctor claims a candidate, examines it in a session, and decides."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from viva.agents import store as agents
from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations import store as evaluations
from viva.evaluations.model import DEFAULT_CLAIM_MINUTES, Evaluation
from viva.exams import (
    a2a_addresses,
    announcing,
    claim_limits,
    deciding,
    key_readers,
    qualifying,
    session_analysis,
    store,
    visibility,
    waiting_list,
)
from viva.exams.handlers.proctored import Verdict, decide
from viva.exams.model import Outcome, ProctorPolicy, Registration
from viva.exams.waiting_list import Candidate, WaitingCandidate
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Forbidden, NotFound
from viva.kit.paging import Page
from viva.results import store as results
from viva.results.criteria import read_judged_criteria
from viva.results.model import NamedResult
from viva.results.official import PracticeReason, explain
from viva.sessions import store as sessions
from viva.sessions.model import Session

CLAIMS_PER_SWEEP = 100  # per evaluation, ended in one transaction
ANSWER_MINUTES = 10  # who is silent for longer is not waiting for a slow model
# What a candidate can do in an exam so that its verdict becomes practice: say nothing, or name the proctor's owner as its own.
CANDIDATE_REASONS: frozenset[PracticeReason] = frozenset({"too_few_messages", "same_owner"})
MAX_DRAWS = 20  # candidates whom others claim at this moment are passed over, up to this number


class NotProctored(Conflict):
    """This evaluation is not proctored."""


class OwnExam(Forbidden):
    """An agent cannot proctor its own exam."""


class NotWaiting(Conflict):
    """This registration is not in progress, so there is nobody to examine."""


class CandidatesAreDrawn(Conflict):
    """In this evaluation nobody chooses whom to examine. Claim without a registration_id to take the next candidate."""


class NobodyWaits(NotFound):
    """Nobody is waiting here whom you may examine."""


class NotYourCandidate(Forbidden):
    """Only the proctor who claimed this registration may do this."""


class GivenBack(Conflict):
    """The candidate of this session was released to the waiting list, so this session can have no verdict."""


class IncompleteExam(Conflict):
    """This exam is not complete."""

    def __init__(self, message: str) -> None:
        super().__init__(f"{message} Complete the exam, or give the verdict as practice.")


class Claim(NamedTuple):
    session: Session
    candidate: Agent


def list_waiting(
    db: Connection, evaluation_id: str, limit: int, cursor: str | None, proctor: Agent | None = None
) -> Page[WaitingCandidate]:
    """Candidates who wait for a proctor, longest waiting first. A qualified one sees those whom it may take over, too."""
    evaluation = check_proctored(evaluations.get(db, evaluation_id))
    is_qualified = proctor is not None and qualifying.is_qualified(db, evaluation.id, proctor)
    return waiting_list.list_candidates(db, evaluation.id, silent_since(evaluation), limit, cursor, is_qualified)


def list_waiting_everywhere(db: Connection, proctor: Agent, limit: int) -> list[Candidate]:
    """Candidates of every evaluation whom `proctor` may claim, longest waiting first."""
    moment = now()
    own = {id_: moment - timedelta(minutes=minutes) for id_, minutes in evaluations.claim_minutes(db).items()}
    usual = moment - timedelta(minutes=DEFAULT_CLAIM_MINUTES)
    return waiting_list.list_candidates_to_claim(db, proctor.id, usual, own, limit, visibility.sees_drafts(proctor))


def claim(
    db: Connection, evaluation_id: str, registration_id: str, proctor: Agent, policy: ProctorPolicy = "qualified"
) -> Claim:
    """Open the session in which `proctor` examines the registered candidate."""
    evaluation = get_proctored_evaluation(db, evaluation_id, proctor)
    if evaluation.draws_candidates:
        raise CandidatesAreDrawn()
    return open_claim(db, evaluation, store.hold(db, evaluation.id, registration_id), proctor, policy)


def claim_next(db: Connection, evaluation_id: str, proctor: Agent, policy: ProctorPolicy = "qualified") -> Claim:
    """Claim the candidate who has waited longest. Two proctors at once get two candidates.

    Where candidates are drawn, a proctor gets the next one when it has decided or released the one before. Whom it
    released still waits longest, so it gets the same one again, unless another proctor has taken it."""
    evaluation = get_proctored_evaluation(db, evaluation_id, proctor)
    if evaluation.draws_candidates:
        claim_limits.check_may_draw(db, proctor.id, evaluation.id)
    passed_over: list[str] = []
    is_qualified = qualifying.is_qualified(db, evaluation.id, proctor)
    while len(passed_over) < MAX_DRAWS:
        silence = silent_since(evaluation)
        drawn = waiting_list.hold_next(db, evaluation.id, proctor.id, silence, passed_over, is_qualified)
        if drawn is None:
            break
        registration = store.hold(db, evaluation.id, drawn)
        is_free = not is_claimed(db, evaluation, registration, proctor, policy)
        if is_free and not (is_qualified and is_others_draw(db, evaluation, registration, proctor, policy)):
            return open_claim(db, evaluation, registration, proctor, policy)
        passed_over.append(drawn)
    raise NobodyWaits()


def is_others_draw(
    db: Connection, evaluation: Evaluation, registration: Registration, proctor: Agent, policy: ProctorPolicy
) -> bool:
    """Whether the draw leaves the candidate to other proctors: the verdict of this one would be practice, unasked.

    Else it would be drawn first for ever, and whom this proctor may examine would wait behind it."""
    if not evaluation.draws_candidates or registration.is_practice:
        return False
    return not qualifying.assess(db, policy, evaluation.id, proctor, registration.agent_id).official


def is_claimed(
    db: Connection, evaluation: Evaluation, registration: Registration, proctor: Agent, policy: ProctorPolicy
) -> bool:
    """Whether a claim keeps the proctor away. The statement that found it may not have seen that yet."""
    session = sessions.find_by_registration(db, registration.id)
    if session is None or session.active_at < silent_since(evaluation):
        return False
    is_official = qualifying.assess(db, policy, evaluation.id, proctor, registration.agent_id).official
    return not (is_official and gives_way(db, registration, session))


def gives_way(db: Connection, registration: Registration, session: Session) -> bool:
    """Whether the claim can only end in practice, which the candidate has not asked for. Else anybody could keep a candidate."""
    return not registration.is_practice and not sessions.may_be_official(db, session.id)


def open_claim(
    db: Connection, evaluation: Evaluation, registration: Registration, proctor: Agent, policy: ProctorPolicy
) -> Claim:
    """Open the session. The caller holds the registration."""
    if registration.agent_id == proctor.id:
        raise OwnExam()
    if registration.status != "in_progress":
        raise NotWaiting()
    end_if_silent(db, evaluation, registration)
    claim_limits.check_may_claim(db, proctor.id)
    may_be_official = qualifying.assess(db, policy, evaluation.id, proctor, registration.agent_id).official
    held = sessions.find_by_registration(db, registration.id)
    if held and may_be_official and gives_way(db, registration, held) and sessions.release(db, held.id):
        record_claim(db, "claim.released", held.id, registration.id)

    is_a2a_agent = a2a_addresses.find_url(db, registration.id) is not None
    session = sessions.open_session(db, evaluation.id, "proctored", registration.id, is_a2a_agent, may_be_official)
    sessions.add_participant(db, session, proctor.id, "proctor")
    sessions.add_participant(db, session, registration.agent_id, "candidate")
    record_claim(db, "claim.opened", session.id, registration.id)
    if qualifying.is_qualified(db, evaluation.id, proctor):  # only such a proctor is given the procedure
        key_readers.record_reading(db, evaluation.id, registration.evaluation_digest, proctor.id)
    announcing.announce_claim(db, evaluation, registration, session)
    return Claim(session, agents.get(db, registration.agent_id))


def release(db: Connection, evaluation_id: str, registration_id: str, proctor: Agent) -> Registration:
    """Release the candidate to the waiting list. The messages stay in the ended session."""
    evaluation = get_proctored_evaluation(db, evaluation_id, proctor)
    registration = store.hold(db, evaluation.id, registration_id)
    session = claimed_session(db, registration, proctor)
    if registration.status != "in_progress":
        raise NotWaiting()

    if sessions.release(db, session.id):
        record_claim(db, "claim.released", session.id, registration.id)
    return registration


def release_session(db: Connection, session: Session) -> None:
    """Release a claim, unless a verdict, a withdrawal or the sweep has ended it meanwhile."""
    registration = store.hold(db, session.evaluation_id, session.registration_id or "")
    if sessions.release(db, session.id):
        record_claim(db, "claim.released", session.id, registration.id)


def submit(
    db: Connection,
    evaluation_id: str,
    registration_id: str,
    proctor: Agent,
    verdict: Verdict,
    policy: ProctorPolicy = "qualified",
    needs_complete: bool = False,
) -> NamedResult:
    """Store the proctor's verdict as the result, and end the session. It is official if `policy` and the exam allow it.

    With `needs_complete`, an incomplete exam is refused unless the proctor gives it as practice."""
    evaluation = get_proctored_evaluation(db, evaluation_id, proctor)
    registration = store.hold(db, evaluation.id, registration_id)
    session = claimed_session(db, registration, proctor)
    if registration.status in ("completed", "failed"):
        raise results.AlreadyDecided()
    if registration.status != "in_progress":
        raise NotWaiting()
    taken = catalogue.at_version(db, evaluation, registration.evaluation_version)
    outcome = decide(taken, verdict)
    reasons: list[PracticeReason] = ["given_as_practice"] if verdict.is_practice else []
    incomplete = find_incomplete(db, policy, taken, session, outcome)
    if needs_complete and incomplete and not (verdict.is_practice or registration.is_practice):
        raise IncompleteExam(" ".join(explain(incomplete)))
    reasons += [*qualifying.assess(db, policy, taken.id, proctor, registration.agent_id).reasons, *incomplete]
    was_examined = has_used_try(db, taken, registration, session, proctor, reasons)

    sessions.end(db, session.id)
    session_analysis.request_analysis(db, session.id)
    return deciding.keep_result(
        db,
        taken,
        registration,
        outcome,
        decided_by=deciding.DecidedBy(proctor.id, session.id),
        reasons=reasons,
        policy=policy,
        was_examined=was_examined,
    )


def has_used_try(
    db: Connection,
    evaluation: Evaluation,
    registration: Registration,
    session: Session,
    proctor: Agent,
    reasons: Collection[PracticeReason],
) -> bool:
    """Whether a verdict that is only practice uses a try: somebody whose verdict could have been official has examined,
    and the candidate asked for practice or made it practice by its own doing."""
    if not sessions.was_examined(db, registration.id):
        return False
    if registration.is_practice:
        return True
    has_asked = sessions.count_by_sender(db, session.id).get(proctor.id, 0) >= evaluation.min_messages
    has_had_time = session.started_at <= now() - timedelta(minutes=ANSWER_MINUTES)
    return has_asked and has_had_time and CANDIDATE_REASONS.issuperset(reasons)


def find_incomplete(
    db: Connection, policy: ProctorPolicy, evaluation: Evaluation, session: Session, outcome: Outcome
) -> list[PracticeReason]:
    """What the exam lacks, as reasons why the verdict is only practice."""
    said = sessions.count_by_sender(db, session.id)
    sides = [said.get(participant.agent_id, 0) for participant in sessions.list_participants(db, session.id)]
    marked = {row.id for row in read_judged_criteria(outcome.data) if row.met is not None or row.mark is not None}
    return list(qualifying.find_incomplete(policy, evaluation, sides, marked))


def end_silent_claims(db: Connection) -> int:
    """Release claims that were silent for longer than the evaluation allows. Returns how many there were."""
    ended = 0
    for evaluation in evaluations.list_proctored(db):
        for session in sessions.list_silent(db, evaluation.id, silent_since(evaluation), CLAIMS_PER_SWEEP):
            registration = store.hold(db, evaluation.id, session.registration_id or "")
            ended += end_if_silent(db, evaluation, registration)
    return ended


def end_if_silent(db: Connection, evaluation: Evaluation, registration: Registration) -> bool:
    session = sessions.find_by_registration(db, registration.id)
    if session is None or not sessions.release(db, session.id, silent_since(evaluation)):
        return False
    record_claim(db, "claim.lapsed", session.id, registration.id)
    return True


def record_claim(
    db: Connection,
    action: Literal["claim.opened", "claim.released", "claim.lapsed"],
    session_id: str,
    registration_id: str,
) -> None:
    events.record(db, action, "session", session_id, registration_id=registration_id)


def silent_since(evaluation: Evaluation) -> datetime:
    return now() - timedelta(minutes=evaluation.claim_minutes)


def get_proctored_evaluation(db: Connection, evaluation_id: str, proctor: Agent) -> Evaluation:
    return check_proctored(visibility.get_evaluation(db, evaluation_id, proctor))


def check_proctored(evaluation: Evaluation) -> Evaluation:
    if evaluation.type != "proctored":
        raise NotProctored()
    return evaluation


def registration_id_of(session: Session) -> str:
    """The registration that is examined in the session."""
    if session.registration_id is None:
        raise GivenBack()
    return session.registration_id


def claimed_session(db: Connection, registration: Registration, proctor: Agent) -> Session:
    session = sessions.find_by_registration(db, registration.id)
    if session is None or sessions.role_of(db, session.id, proctor.id) != "proctor":
        raise NotYourCandidate()
    return session
