"""The results of one agent: its standing in each evaluation, and the exams it proctored."""

from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many
from viva.results.sum_keys import ALL_VERSIONS

MAX_SESSIONS_SEARCHED = 200  # the agent's latest ones, of which those it proctored are listed


# Feedback on answers to items in use may quote them. This is never more open than `exams/revealing.py`; a list cannot ask
# there for each of its lines.
IS_FEEDBACK_PUBLIC = """
    (e.handler IN ('proctored', 'live_class_work') OR e.status = 'retired' OR e.config ->> 'reveal' = 'always')
    AND coalesce(e.config ->> 'reveal', '') <> 'never'
"""


class OwnStanding(Struct, frozen=True):
    """An agent's best result in an evaluation, over all versions; `most_points` are its points for the evaluation."""

    evaluation_id: str
    evaluation_name: str
    sip: int
    result_id: str
    passed: bool
    score: float | None
    max_score: float | None
    most_points: float
    completed_at: datetime
    evaluation_version: str
    attempts: int
    session_id: str | None
    proctor_name: str | None
    proctor_feedback: str | None

    @property
    def has_passed(self) -> bool:
        """True also if the best attempt was not passed, but an attempt at another version was."""
        return self.passed or self.most_points > 0


class ProctoredResult(Struct, frozen=True):
    """The result of an exam that the agent proctored."""

    result_id: str
    evaluation_id: str
    evaluation_name: str
    agent_name: str
    passed: bool
    score: float | None
    max_score: float | None
    completed_at: datetime
    official: bool


class TakenEvaluation(Struct, frozen=True):
    """An evaluation in which an agent has a result."""

    id: str
    name: str


class EvaluationStanding(Struct, frozen=True):
    """Whether an agent has passed an evaluation, and its points for it.

    `result_id` is its best result; None if that was not passed and another one was."""

    evaluation_id: str
    has_passed: bool
    points: float
    result_id: str | None


def list_standings(db: Connection, agent_id: str, limit: int, cursor: str | None) -> Page[OwnStanding]:
    """The agent's standings, newest result first."""
    values: dict[str, object] = {"agent_id": agent_id, "limit": limit + 1}
    after = ""
    if cursor:
        values["after"], values["after_id"] = read_cursor(cursor, tuple[datetime, str])
        after = "AND (s.completed_at, s.result_id) < (:after, :after_id)"
    rows = db.execute(
        f"""
        SELECT s.evaluation_id, coalesce(e.title, e.name) AS evaluation_name, e.sip, s.result_id, s.passed, s.score,
            s.max_score, s.most_points, s.completed_at, s.result_version AS evaluation_version, s.attempts, r.session_id,
            CASE WHEN p.id IS NOT NULL THEN {name_of("p")} END AS proctor_name,
            CASE WHEN {IS_FEEDBACK_PUBLIC} THEN substr(r.proctor_feedback, 1, 600) END AS proctor_feedback
        FROM evaluation_standings s JOIN evaluation_definitions e ON e.id = s.evaluation_id
            JOIN evaluation_results r ON r.id = s.result_id LEFT JOIN agents p ON p.id = r.proctor_agent_id
        WHERE s.agent_id = :agent_id AND s.evaluation_version = '{ALL_VERSIONS}' AND s.scope = 'official'
            AND e.status <> 'draft' {after}
        ORDER BY s.completed_at DESC, s.result_id DESC LIMIT :limit
        """,
        values,
    )
    return page(many(OwnStanding, rows), limit, lambda standing: (standing.completed_at, standing.result_id))


def list_proctored(db: Connection, agent_id: str, limit: int) -> list[ProctoredResult]:
    """Exams with a result that the agent proctored in its latest sessions, newest first."""
    rows = db.execute(
        f"""
        SELECT r.id AS result_id, r.evaluation_id, coalesce(e.title, e.name) AS evaluation_name,
            {name_of("a")} AS agent_name, r.passed, r.score, r.max_score, r.completed_at, r.official
        FROM (SELECT session_id, role FROM evaluation_session_participants WHERE agent_id = :agent_id
                ORDER BY joined_at DESC LIMIT :latest) seats
            JOIN evaluation_sessions s ON s.id = seats.session_id
            JOIN evaluation_results r ON r.registration_id = s.registration_id
            JOIN evaluation_definitions e ON e.id = r.evaluation_id JOIN agents a ON a.id = r.agent_id
        WHERE seats.role = 'proctor' AND NOT r.is_private AND e.status <> 'draft' ORDER BY r.completed_at DESC, r.id DESC LIMIT :limit
        """,
        {"agent_id": agent_id, "latest": MAX_SESSIONS_SEARCHED, "limit": limit},
    )
    return many(ProctoredResult, rows)


def list_taken(db: Connection, agent_id: str, limit: int) -> list[TakenEvaluation]:
    """The evaluations in which the agent has a result, by SIP number."""
    rows = db.execute(
        f"""
        SELECT e.id, coalesce(e.title, e.name) AS name
        FROM evaluation_standings s JOIN evaluation_definitions e ON e.id = s.evaluation_id
        WHERE s.agent_id = ? AND s.evaluation_version = '{ALL_VERSIONS}' AND s.scope = 'official'
        ORDER BY e.sip LIMIT ?
        """,
        [agent_id, limit],
    )
    return many(TakenEvaluation, rows)


def standings_by_evaluation(db: Connection, agent_id: str) -> dict[str, EvaluationStanding]:
    """The agent's standing in each evaluation it has taken, by evaluation id."""
    rows = db.execute(
        f"""
        SELECT evaluation_id, passed OR most_points > 0 AS has_passed, most_points AS points,
            CASE WHEN passed OR most_points = 0 THEN result_id END AS result_id
        FROM evaluation_standings WHERE agent_id = ? AND evaluation_version = '{ALL_VERSIONS}' AND scope = 'official'
        """,
        [agent_id],
    )
    return {standing.evaluation_id: standing for standing in many(EvaluationStanding, rows)}
