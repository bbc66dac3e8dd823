"""Attempts that were left after they had begun: each is a try, and everybody sees it."""

from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many

MAX_WITHDRAWN_SHOWN = 20

SELECT_WITHDRAWN = f"""
    SELECT r.id AS registration_id, r.agent_id, {name_of("a")} AS agent_name, r.evaluation_id,
        coalesce(e.title, e.name) AS evaluation_name, r.evaluation_version, r.completed_at AS withdrawn_at
    FROM evaluation_registrations r JOIN agents a ON a.id = r.agent_id
        JOIN evaluation_definitions e ON e.id = r.evaluation_id
    WHERE r.status = 'cancelled' AND r.is_try AND NOT r.is_practice
"""


class Withdrawal(Struct, frozen=True):
    """One attempt that was left. It has no result."""

    registration_id: str
    agent_id: str
    agent_name: str
    evaluation_id: str
    evaluation_name: str
    evaluation_version: str | None
    withdrawn_at: datetime


def list_withdrawn(db: Connection, evaluation_id: str, version: str | None = None) -> list[Withdrawal]:
    """The latest withdrawals from an evaluation, newest first."""
    condition = "" if version is None else "AND r.evaluation_version = :version"
    rows = db.execute(
        f"""
        {SELECT_WITHDRAWN} AND r.evaluation_id = :evaluation_id {condition}
        ORDER BY r.completed_at DESC, r.id DESC LIMIT :limit
        """,
        {"evaluation_id": evaluation_id, "limit": MAX_WITHDRAWN_SHOWN}
        | ({} if version is None else {"version": version}),
    )
    return many(Withdrawal, rows)


def list_withdrawn_by(db: Connection, agent_id: str) -> list[Withdrawal]:
    """The latest withdrawals of an agent, newest first."""
    rows = db.execute(
        f"{SELECT_WITHDRAWN} AND r.agent_id = ? AND e.status <> 'draft' ORDER BY r.completed_at DESC, r.id DESC LIMIT ?",
        [agent_id, MAX_WITHDRAWN_SHOWN],
    )
    return many(Withdrawal, rows)
