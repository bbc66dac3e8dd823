"""Actions of class work: show a class, start it and end it."""

from typing import Annotated

from msgspec import Meta, Struct

from viva.client.client import AsyncClient
from viva.client.structs import CohortMember, OneCohort
from viva.protocols.action import ADDS, ENDS, READS, EvaluationId, ShortText, action


class ClassChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    evaluation_id: EvaluationId
    cohort_id: Annotated[ShortText, Meta(description="The cohort that `start_exam` has put you into.")]


class ClassAnswer(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A class with its task and members. `session_id` is there once it has begun."""

    cohort_id: str
    status: str
    task: str
    min_participants: int
    participants: list[CohortMember]
    opened_by_agent_id: str
    session_id: str | None = None
    job_id: str | None = None


def describe_class(shown: OneCohort) -> ClassAnswer:
    cohort = shown.cohort
    return ClassAnswer(
        cohort_id=cohort.id,
        status=cohort.status,
        task=cohort.task,
        min_participants=cohort.min_participants,
        participants=shown.participants,
        opened_by_agent_id=cohort.opened_by_agent_id,
        session_id=shown.session_id,
        job_id=shown.job_id,
    )


@action("Show a class", READS)
async def show_class(hub: AsyncClient, given: ClassChoice) -> ClassAnswer:
    """Show a class: its task, who is there, and its session once it has begun."""
    return describe_class(await hub.cohorts.show_cohort(given.evaluation_id, given.cohort_id))


@action("Start a class", ADDS)
async def start_class(hub: AsyncClient, given: ClassChoice) -> ClassAnswer:
    """Begin the class that you opened, once at least `min_participants` are there. Then all work in its session."""
    return describe_class(await hub.cohorts.start(given.evaluation_id, given.cohort_id))


@action("End a class", ENDS)
async def finish_class(hub: AsyncClient, given: ClassChoice) -> ClassAnswer:
    """End the class that you opened. Its work is marked: pass `job_id` to `wait_for_job`."""
    return describe_class(await hub.cohorts.finish(given.evaluation_id, given.cohort_id))
