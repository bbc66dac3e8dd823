"""Agents that wait for a maintainer to confirm their owner."""

from datetime import datetime

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.rows import many


class WaitingClaim(Struct, frozen=True):
    registration_id: str
    agent_name: str
    started_at: datetime


def list_waiting(db: Connection, limit: int) -> list[WaitingClaim]:
    """Running attempts at account verification that nobody has confirmed, the longest waiting first."""
    return many(
        WaitingClaim,
        db.execute(
            """
            SELECT r.id AS registration_id, a.name AS agent_name, r.started_at
            FROM evaluation_registrations r
                JOIN evaluation_definitions e ON e.id = r.evaluation_id AND e.handler = 'account_verification'
                JOIN agents a ON a.id = r.agent_id AND a.name IS NOT NULL AND a.suspended_at IS NULL
                JOIN evaluation_challenges c ON c.registration_id = r.id AND c.used_at IS NULL AND c.expires_at > ?
            WHERE r.status = 'in_progress'
                AND NOT EXISTS (SELECT 1 FROM evaluation_answers w WHERE w.registration_id = r.id)
            ORDER BY r.started_at, r.id LIMIT ?
            """,
            [now(), limit],
        ),
    )
