"""How much an account may store. The count is changed in the transaction that adds or deletes traces."""

from typing import NamedTuple

from viva.engine.intake.limits import MEBIBYTE
from viva.kit.db import Connection
from viva.kit.errors import TooLarge


class TraceQuota(NamedTuple):
    """The most traces and compressed bytes that one account stores."""

    traces: int = 100_000
    stored_bytes: int = 4096 * MEBIBYTE


class QuotaReached(TooLarge):
    """Your account has no room for more traces; delete some that you no longer need."""


def take_room(db: Connection, owner_id: str, traces: int, stored_bytes: int, quota: TraceQuota) -> None:
    """Count what is stored next, or refuse it. The row stays locked until the transaction ends."""
    values = {
        "owner": owner_id,
        "traces": traces,
        "bytes": stored_bytes,
        "most_traces": quota.traces,
        "most_bytes": quota.stored_bytes,
    }
    if not db.execute(TAKE_ROOM, values).rowcount:
        db.execute(BEGIN_USAGE, values)  # the first time, there is no row yet
        if not db.execute(TAKE_ROOM, values).rowcount:
            raise QuotaReached()


TAKE_ROOM = """
    UPDATE trace_usage SET traces = traces + :traces, stored_bytes = stored_bytes + :bytes
    WHERE owner_id = :owner AND traces + :traces <= :most_traces AND stored_bytes + :bytes <= :most_bytes
"""
BEGIN_USAGE = """
    INSERT INTO trace_usage (owner_id, traces, stored_bytes) VALUES (:owner, 0, 0) ON CONFLICT (owner_id) DO NOTHING
"""


def give_back(db: Connection, owner_id: str, traces: int, stored_bytes: int) -> None:
    db.execute(
        "UPDATE trace_usage SET traces = traces - ?, stored_bytes = stored_bytes - ? WHERE owner_id = ?",
        [traces, stored_bytes, owner_id],
    )


class TraceUsage(NamedTuple):
    traces: int
    stored_bytes: int


def read_usage(db: Connection, owner_id: str) -> TraceUsage:
    row = db.execute("SELECT traces, stored_bytes FROM trace_usage WHERE owner_id = ?", [owner_id]).fetchone()
    return TraceUsage(*row) if row else TraceUsage(0, 0)


def forget(db: Connection, owner_id: str) -> None:
    db.execute("DELETE FROM trace_usage WHERE owner_id = ?", [owner_id])


def find_deleted_owner(db: Connection) -> str | None:
    """A deleted account that still has traces. The row of its usage stays until all are deleted."""
    row = db.execute(
        "SELECT owner_id FROM trace_usage u JOIN agents a ON a.id = u.owner_id WHERE a.deleted_at IS NOT NULL LIMIT 1"
    ).fetchone()
    return None if row is None else str(row[0])
