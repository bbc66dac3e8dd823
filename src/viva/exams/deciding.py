"""Deciding an attempt: its outcome is stored as the result, and its registration ends."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

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
from viva.results.official import PracticeReason, Worth, worth_of


class DecidedBy(NamedTuple):
    """Who decided, and where it took place. Handlers and judges have neither."""

    proctor_agent_id: str | None = None
    session_id: str | None = None
    cohort_id: str | None = None


NO_PROCTOR = DecidedBy()


def keep_result(
    db: Connection,
    evaluation: Evaluation,
    registration: Registration,
    outcome: Outcome,
    *,
    decided_by: DecidedBy = NO_PROCTOR,
    reasons: Iterable[PracticeReason] = (),
    policy: ProctorPolicy = "qualified",
    was_examined: bool = False,
) -> NamedResult:
    """Store the outcome as a result, and end the registration.

    `evaluation` is the version that the attempt started with. `reasons` say why it is only practice; without any it is
    official. With `was_examined`, a verdict that is only practice uses a try of a proctored exam, too."""
    worth = worth_of([*reasons, *list_candidate_reasons(db, evaluation, registration, policy)])
    is_try = outcome.is_try and practising.is_decided_try(evaluation, registration, worth.official or was_examined)
    result = make_result(db, evaluation, registration, outcome, worth, decided_by)

    results.add(db, result)
    store.close(db, registration.id, "completed" if result.passed else "failed", is_try=is_try)
    record_result_event(db, result, is_try)
    announcing.announce_result(db, evaluation, result)
    reading_draws.open_drawn_reading(db, evaluation, result)
    return results.get(db, result.id)


def make_result(
    db: Connection,
    evaluation: Evaluation,
    registration: Registration,
    outcome: Outcome,
    worth: Worth,
    decided_by: DecidedBy,
) -> Result:
    """The result as it is stored, with what the agent's profile says now."""
    if registration.is_practice:
        outcome = practising.hide_items(evaluation, outcome)
    profile = agents.get_details(db, registration.agent_id)
    return Result(
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
        **decided_by._asdict(),
        proctor_feedback=outcome.feedback,
        evaluation_version=evaluation.version,
        evaluation_digest=registration.evaluation_digest,
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


def list_candidate_reasons(
    db: Connection, evaluation: Evaluation, registration: Registration, policy: ProctorPolicy
) -> Iterator[PracticeReason]:
    """Why the candidate's own part makes it practice. Where anyone may examine, agents examine each other by one procedure."""
    if registration.is_practice:
        yield "asked_for_practice"
    is_bound = policy == "qualified" or evaluation.type != "proctored"
    if is_bound and key_readers.is_informed(db, registration):
        yield "read_the_keys"


def record_result_event(db: Connection, result: Result, is_try: bool) -> None:
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
        is_try=is_try,
    )


def who_decided(result: Result) -> Literal["proctor", "judges", "handler"]:
    if result.proctor_agent_id:
        return "proctor"
    return "judges" if "judges" in (result.result_data or {}) else "handler"
