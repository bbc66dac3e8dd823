"""Closed evaluations in the database. A sync of SIPs leaves them closed: a SIP does not say it."""

from datetime import datetime

from msgspec import Struct

from viva.evaluations.store import NoSuchEvaluation
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.rows import find, many, one

MAX_CLOSED_LISTED = 200


class EvaluationClosing(Struct, frozen=True):
    """An evaluation for which nobody can register, since when and why."""

    evaluation_id: str
    name: str
    closed_at: datetime
    reason: str


CLOSINGS = """
    SELECT id AS evaluation_id, name, closed_at, closing_reason AS reason FROM evaluation_definitions
    WHERE closed_at IS NOT NULL
"""


def close(db: Connection, evaluation_id: str, by: str | None, reason: str) -> bool:
    """False if there is no such evaluation that is open."""
    changed = db.execute(
        """
        UPDATE evaluation_definitions SET closed_at = ?, closed_by = ?, closing_reason = ?
        WHERE id = ? AND closed_at IS NULL
        """,
        [now(), by, reason, evaluation_id],
    )
    return changed.rowcount == 1


def reopen(db: Connection, evaluation_id: str) -> bool:
    """False if there is no such evaluation that is closed."""
    changed = db.execute(
        """
        UPDATE evaluation_definitions SET closed_at = NULL, closed_by = NULL, closing_reason = NULL
        WHERE id = ? AND closed_at IS NOT NULL
        """,
        [evaluation_id],
    )
    return changed.rowcount == 1


def check_exists(db: Connection, evaluation_id: str) -> None:
    if not db.execute("SELECT 1 FROM evaluation_definitions WHERE id = ?", [evaluation_id]).fetchone():
        raise NoSuchEvaluation()


def find_closing(db: Connection, evaluation_id: str) -> EvaluationClosing | None:
    return find(EvaluationClosing, db.execute(f"{CLOSINGS} AND id = ?", [evaluation_id]))


def get(db: Connection, evaluation_id: str) -> EvaluationClosing:
    return one(EvaluationClosing, db.execute(f"{CLOSINGS} AND id = ?", [evaluation_id]), NoSuchEvaluation)


def list_closed(db: Connection) -> list[EvaluationClosing]:
    return many(EvaluationClosing, db.execute(f"{CLOSINGS} ORDER BY closed_at DESC LIMIT ?", [MAX_CLOSED_LISTED]))
