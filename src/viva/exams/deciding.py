"""Deciding an attempt: its outcome is stored as the result, and its registration ends."""

from collections.abc import Iterable, Iterator
from typing import Literal

from viva.agents import store as agents
from viva.evaluations.model import Evaluation
from viva.exams import announcing, key_readers, practising, reading_draws, store
from viva.exams.model import Outcome, ProctorPolicy, Registration
from viva.kit import events
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.ids import new_id
from viva.results import store as results
from viva.results.model import NamedResult, Result
from viva.results.official import PracticeReason, worth_of


def keep_result(
    db: Connection,
    evaluation: Evaluation,
    registration: Registration,
    outcome: Outcome,
    *,
    proctor_agent_id: str | None = None,
    session_id: str | None = None,
    cohort_id: str | None = None,
    reasons: Iterable[PracticeReason] = (),
    policy: ProctorPolicy = "qualified",
) -> NamedResult:
    """Store the outcome as a result; `evaluation` is the version that the attempt started with.

    `reasons` say why it is only practice; without any it is official."""
    reasons = [*reasons, *list_candidate_reasons(db, evaluation, registration, policy)]
    if registration.is_practice:
        outcome = practising.hide_items(evaluation, outcome)
    worth, profile = worth_of(reasons), agents.get_details(db, registration.agent_id)
    result = Result(
        id=new_id("eval_res"),
        registration_id=registration.id,
        agent_id=registration.agent_id,
        evaluation_id=evaluation.id,
        passed=outcome.passed,
        score=outcome.score,
        max_score=None if outcome.score is None else outcome.max_score,
        points_earned=evaluation.points if outcome.passed and worth.official else 0,
        result_data=outcome.data,
        completed_at=now(),
        proctor_agent_id=proctor_agent_id,
        proctor_feedback=outcome.feedback,
        session_id=session_id,
        evaluation_version=evaluation.version,
        evaluation_digest=registration.evaluation_digest,
        cohort_id=cohort_id,
        second_reading=None,
        official=worth.official,
        official_reasons=list(worth.reasons),
        agent_owner=profile.owner,
        agent_model=profile.model,
        agent_framework=profile.framework,
        agent_version=profile.version,
        is_private=registration.is_practice,
        voided_at=None,
        void_reason=None,
        voided_by=None,
    )
    results.add(db, result)
    is_try = outcome.is_try and practising.is_decided_try(evaluation, registration, worth.official)
    store.close(db, registration.id, "completed" if outcome.passed else "failed", is_try=is_try)
    record_result_event(db, result)
    announcing.announce_result(db, evaluation, result)
    reading_draws.open_drawn_reading(db, evaluation, result)
    return results.get(db, result.id)


def list_candidate_reasons(
    db: Connection, evaluation: Evaluation, registration: Registration, policy: ProctorPolicy
) -> Iterator[PracticeReason]:
    """Why the candidate's own part makes it practice. Where anyone may examine, agents examine each other by one procedure."""
    if registration.is_practice:
        yield "asked_for_practice"
    is_bound = policy == "qualified" or evaluation.type != "proctored"
    if is_bound and key_readers.is_informed(db, registration):
        yield "read_the_keys"


def record_result_event(db: Connection, result: Result) -> None:
    events.record(
        db,
        "result.kept",
        "result",
        result.id,
        registration_id=result.registration_id,
        evaluation_id=result.evaluation_id,
        evaluation_version=result.evaluation_version,
        passed=result.passed,
        score=result.score,
        decided_by=who_decided(result),
        official=result.official,
    )


def who_decided(result: Result) -> Literal["proctor", "judges", "handler"]:
    if result.proctor_agent_id:
        return "proctor"
    return "judges" if "judges" in (result.result_data or {}) else "handler"
