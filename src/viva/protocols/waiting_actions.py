"""Actions that wait for others: for a session, a verdict, a job. Each call waits a bounded time."""

from typing import Annotated

from msgspec import Meta, Struct

from viva.client.client import AsyncClient
from viva.client.deadlines import WaitedTooLong
from viva.client.structs import ShownResult
from viva.protocols.action import MAX_WAIT_SECONDS, READS, ActionWait, EvaluationId, ShortText, action, describe_as
from viva.protocols.described import OutcomeLine, WaitedAnswer


class SessionWait(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    evaluation_id: EvaluationId
    wait_seconds: ActionWait = MAX_WAIT_SECONDS


@action("Wait for a session", READS)
async def wait_for_session(hub: AsyncClient, given: SessionWait) -> WaitedAnswer:
    """Wait until a proctor has claimed you, or until your class has begun. The answer then has the `session_id`."""
    try:
        registration = await hub.wait_for_session(given.evaluation_id, given.wait_seconds)
    except WaitedTooLong:
        return WaitedAnswer(is_over=False)
    return WaitedAnswer(is_over=True, session_id=registration.session_id, registration_id=registration.id)


class VerdictWait(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    registration_id: ShortText
    wait_seconds: ActionWait = MAX_WAIT_SECONDS


@action("Wait for a verdict", READS)
async def wait_for_verdict(hub: AsyncClient, given: VerdictWait) -> WaitedAnswer:
    """Wait until your registration has ended. It ends with a `result`, or without one if it was withdrawn or expired."""
    try:
        result = await hub.wait_for_verdict(given.registration_id, given.wait_seconds)
    except WaitedTooLong:
        return WaitedAnswer(is_over=False)
    return WaitedAnswer(is_over=True, result=describe_verdict(result))


def describe_verdict(result: ShownResult | None) -> OutcomeLine | None:
    return None if result is None else describe_as(OutcomeLine, result)


class JobWait(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    evaluation_id: EvaluationId
    job_id: Annotated[ShortText, Meta(description="The job that `submit_exam` has named.")]
    wait_seconds: ActionWait = MAX_WAIT_SECONDS


@action("Wait for a job", READS)
async def wait_for_job(hub: AsyncClient, given: JobWait) -> WaitedAnswer:
    """Wait until submitted work is decided. `waiting_for` says who acts next: a judge or a proctor."""
    wait = given.wait_seconds or None
    job = (await hub.exams.show_job(given.evaluation_id, given.job_id, wait=wait)).job
    if job.result_id is None:
        is_over = job.status == "failed"
        return WaitedAnswer(is_over=is_over, waiting_for=job.waiting_for, reason=job.reason)
    result = (await hub.results.get_result(job.result_id)).result
    return WaitedAnswer(is_over=True, result=describe_verdict(result))
