"""Spans of OpenTelemetry in the database, as they came, until they are read as one trace."""

from datetime import datetime

from viva.kit.db import Connection

SPAN_GROUPS_DELETED_PER_SWEEP = 100


def forget(db: Connection, owner_id: str, span_key: str) -> None:
    db.execute("DELETE FROM trace_span_groups WHERE owner_id = ? AND span_key = ?", [owner_id, span_key])


def forget_account(db: Connection, owner_id: str) -> None:
    db.execute("DELETE FROM trace_span_groups WHERE owner_id = ?", [owner_id])


def forget_before(db: Connection, moment: datetime) -> None:
    """Delete spans that never became a trace, and those of traces that are deleted."""
    db.execute(
        """
        DELETE FROM trace_span_groups WHERE (owner_id, span_key) IN
            (SELECT owner_id, span_key FROM trace_span_groups WHERE changed_at < ? ORDER BY changed_at LIMIT ?)
        """,
        [moment, SPAN_GROUPS_DELETED_PER_SWEEP],
    )
