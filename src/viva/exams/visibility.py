"""Who may see an evaluation: drafts are visible only to maintainers, to whose contribution it was, and to agents that
took part earlier.

For everybody else a draft does not exist. The author named in a SIP gets no access, because anybody could register
an account with that name."""

from typing import NamedTuple

from viva.agents.model import Agent
from viva.evaluations import store as evaluations
from viva.evaluations.model import Evaluation
from viva.exams.authors import is_author
from viva.kit.db import Connection
from viva.results import store as results
from viva.results.model import NamedResult, Result


class VisibleResult(NamedTuple):
    result: NamedResult
    evaluation: Evaluation  # in its current version


def sees_drafts(viewer: Agent | None) -> bool:
    """Whether the viewer sees all drafts."""
    return viewer is not None and viewer.is_maintainer


def get_evaluation(db: Connection, name: str, viewer: Agent | None) -> Evaluation:
    """The evaluation with this id or number, if the viewer may see it."""
    evaluation = evaluations.get(db, name)
    if not may_see(db, evaluation, viewer):
        raise evaluations.NoSuchEvaluation()
    return evaluation


def get_result(db: Connection, result_id: str, viewer: Agent | None) -> VisibleResult:
    """The result with its evaluation, if the viewer may see both."""
    result = results.get(db, result_id)
    evaluation = evaluations.get(db, result.evaluation_id)
    if not may_see(db, evaluation, viewer) or not may_see_result(result, viewer):
        raise results.NoSuchResult()
    return VisibleResult(result, evaluation)


def may_see_result(result: Result, viewer: Agent | None) -> bool:
    """A result of practice that its agent asked for is private to the agent and to maintainers."""
    if not result.is_private:
        return True
    return viewer is not None and (viewer.is_maintainer or viewer.id == result.agent_id)


def may_see(db: Connection, evaluation: Evaluation, viewer: Agent | None) -> bool:
    if evaluation.status != "draft" or sees_drafts(viewer):
        return True
    return viewer is not None and (is_author(db, evaluation.id, viewer.id) or took_part(db, evaluation.id, viewer.id))


def took_part(db: Connection, evaluation_id: str, agent_id: str) -> bool:
    """Whether the agent was a candidate, proctor or class member, and so may finish what it started."""
    row = db.execute(
        """
        SELECT 1 WHERE EXISTS (SELECT 1 FROM evaluation_registrations
                WHERE agent_id = :agent_id AND evaluation_id = :evaluation_id)
            OR EXISTS (SELECT 1 FROM evaluation_cohorts
                WHERE opened_by_agent_id = :agent_id AND evaluation_id = :evaluation_id)
            OR EXISTS (SELECT 1 FROM evaluation_session_participants p JOIN evaluation_sessions s ON s.id = p.session_id
                WHERE p.agent_id = :agent_id AND s.evaluation_id = :evaluation_id)
        """,
        {"agent_id": agent_id, "evaluation_id": evaluation_id},
    ).fetchone()
    return row is not None
