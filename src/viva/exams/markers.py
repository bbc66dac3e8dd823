"""Who may mark the work of others, and read the rubric for it."""

from collections.abc import Iterable

from viva.agents.model import Agent
from viva.exams import qualifying, store
from viva.exams.model import ProctorPolicy
from viva.exams.proctor_facts import ExamPair
from viva.kit.db import Connection
from viva.kit.errors import Forbidden
from viva.results.official import explain


class InOpenAttempt(Forbidden):
    """You have an open attempt at this evaluation, so you may neither read its rubric nor mark others."""


class MayNotMark(Forbidden):
    """Only a marker who is qualified for this evaluation, and independent of the candidate, may mark this."""


def check_may_mark(
    db: Connection, policy: ProctorPolicy, evaluation_id: str, marker: Agent, candidate_ids: Iterable[str]
) -> None:
    """Check that the marks of `marker` on the work of these candidates would be official."""
    if store.find_open(db, marker.id, evaluation_id):
        raise InOpenAttempt()
    asked = [ExamPair(evaluation_id, candidate_id) for candidate_id in candidate_ids]
    reasons = [reason for worth in qualifying.assess_each(db, policy, marker, asked) for reason in worth.reasons]
    if reasons:
        raise MayNotMark(f"{MayNotMark.__doc__} {explain(reasons[:1])[0]}")
