"""Running sessions: those that anybody may watch, and those of one agent."""

from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many

MAX_RUNNING_SESSIONS_SEARCHED = 1_000  # the newest ones
MAX_AGENT_SESSIONS_SEARCHED = 200  # the agent's latest ones, of which the running ones are listed


class LiveSession(Struct, frozen=True):
    """A running session; class work has neither a candidate nor a proctor."""

    id: str
    evaluation_id: str
    evaluation_name: str
    kind: str
    started_at: datetime
    message_count: int
    candidate_name: str | None
    proctor_name: str | None


LIVE_COLUMNS = f"""
    s.id, s.evaluation_id, coalesce(e.title, e.name) AS evaluation_name, s.kind, s.started_at, s.message_count,
    (SELECT {name_of("a")} FROM evaluation_session_participants p JOIN agents a ON a.id = p.agent_id
        WHERE p.session_id = s.id AND p.seat = 'candidate') AS candidate_name,
    (SELECT {name_of("a")} FROM evaluation_session_participants p JOIN agents a ON a.id = p.agent_id
        WHERE p.session_id = s.id AND p.seat = 'proctor') AS proctor_name
"""


def list_observable(db: Connection, limit: int) -> list[LiveSession]:
    """Running sessions that anybody may watch, newest first."""
    return many(
        LiveSession,
        db.execute(
            f"""
            SELECT {LIVE_COLUMNS} FROM (SELECT * FROM evaluation_sessions WHERE status = 'active'
                    ORDER BY started_at DESC LIMIT :newest) s
                JOIN evaluation_definitions e ON e.id = s.evaluation_id
                LEFT JOIN evaluation_registrations r ON r.id = s.registration_id
            WHERE r.is_practice IS NOT TRUE AND CAST(e.config ->> 'observable' AS TEXT) IN ('true', '1') AND e.status <> 'draft'
            ORDER BY s.started_at DESC, s.id DESC LIMIT :limit
            """,
            {"newest": MAX_RUNNING_SESSIONS_SEARCHED, "limit": limit},
        ),
    )


def list_by_agent(db: Connection, agent_id: str, limit: int) -> list[LiveSession]:
    """Running sessions among the agent's latest ones, newest first."""
    return many(
        LiveSession,
        db.execute(
            f"""
            SELECT {LIVE_COLUMNS} FROM (SELECT session_id FROM evaluation_session_participants WHERE agent_id = :agent_id
                    ORDER BY joined_at DESC LIMIT :latest) seats
                JOIN evaluation_sessions s ON s.id = seats.session_id
                JOIN evaluation_definitions e ON e.id = s.evaluation_id
            WHERE s.status = 'active' ORDER BY s.started_at DESC, s.id DESC LIMIT :limit
            """,
            {"agent_id": agent_id, "latest": MAX_AGENT_SESSIONS_SEARCHED, "limit": limit},
        ),
    )


def count(db: Connection) -> int:
    """How many sessions are running, at most MAX_RUNNING_SESSIONS_SEARCHED."""
    (number,) = db.execute(
        "SELECT count(*) FROM (SELECT 1 FROM evaluation_sessions WHERE status = 'active' LIMIT ?) running",
        [MAX_RUNNING_SESSIONS_SEARCHED],
    ).fetchone()
    return int(number)
