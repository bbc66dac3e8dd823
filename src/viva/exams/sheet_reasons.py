"""Why the results of a marked sheet are only practice: its proctors, its judges, or a class in which nobody spoke."""

from collections.abc import Iterator

from viva.agents import store as agents
from viva.exams import cohorts, qualifying
from viva.exams.model import CountedOutcome, Paper, ProctorPolicy
from viva.exams.proctor_facts import ExamPair
from viva.kit.db import Connection
from viva.results.official import PracticeReason
from viva.sessions import store as sessions


def find_reasons(
    db: Connection, policy: ProctorPolicy, paper: Paper, counted: CountedOutcome
) -> dict[str, list[PracticeReason]]:
    """The reasons for each candidate, by agent id."""
    candidates = [registration.agent_id for registration in paper.registrations]
    reasons: dict[str, list[PracticeReason]] = {agent_id: list(judge_reasons(counted)) for agent_id in candidates}
    pairs = [ExamPair(paper.evaluation.id, agent_id) for agent_id in candidates]
    for marker in counted.markers.get("markers", []):
        worths = qualifying.assess_each(db, policy, agents.get(db, marker), pairs)
        for agent_id, worth in zip(candidates, worths, strict=True):
            reasons[agent_id] += worth.reasons
    for agent_id in list_silent(db, paper, counted):
        reasons[agent_id].append("too_few_messages")
    return reasons


def judge_reasons(counted: CountedOutcome) -> Iterator[PracticeReason]:
    if any(mark.has_failed_control for mark in counted.marks):
        yield "judge_failed_control"


def list_silent(db: Connection, paper: Paper, counted: CountedOutcome) -> list[str]:
    """Participants of a class whom proctors marked although they wrote too little."""
    if not paper.sheet.cohort_id or counted.proctor_id is None:
        return []
    cohort = cohorts.get(db, paper.sheet.evaluation_id, paper.sheet.cohort_id)
    said = sessions.count_by_sender(db, cohort.session_id or "")
    registered = [registration.agent_id for registration in paper.registrations]
    return [agent_id for agent_id in registered if said.get(agent_id, 0) < paper.evaluation.min_messages]
