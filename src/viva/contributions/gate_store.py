"""Gates in the database: one for each revision of a contribution."""

from datetime import datetime

import msgspec

from viva.contributions.model import GateOutcome, GateStatus
from viva.kit.clock import now
from viva.kit.db import Connection


def add_running(db: Connection, contribution_id: str, revision: int) -> bool:
    """Add a gate that runs. False if the revision has one."""
    added = db.execute(
        """
        INSERT INTO evaluation_contribution_gates (contribution_id, revision, status, outcomes, checked_at)
        VALUES (?, ?, 'running', '[]', ?) ON CONFLICT (contribution_id, revision) DO NOTHING
        """,
        [contribution_id, revision, now()],
    )
    return added.rowcount == 1


def start_again(db: Connection, contribution_id: str, revision: int) -> bool:
    """Let the gate of the revision run, whatever it found before. False if it runs now."""
    started = db.execute(
        """
        INSERT INTO evaluation_contribution_gates (contribution_id, revision, status, outcomes, checked_at)
        VALUES (?, ?, 'running', '[]', ?) ON CONFLICT (contribution_id, revision) DO UPDATE SET
            status = excluded.status, outcomes = excluded.outcomes, checked_at = excluded.checked_at
        WHERE evaluation_contribution_gates.status <> 'running'
        """,
        [contribution_id, revision, now()],
    )
    return started.rowcount == 1


def end(db: Connection, contribution_id: str, revision: int, status: GateStatus, outcomes: list[GateOutcome]) -> bool:
    """Store what was found. False if the contribution was deleted meanwhile."""
    changed = db.execute(
        """
        UPDATE evaluation_contribution_gates SET status = ?, outcomes = ?, checked_at = ?
        WHERE contribution_id = ? AND revision = ?
        """,
        [status, msgspec.json.encode(outcomes).decode(), now(), contribution_id, revision],
    )
    return changed.rowcount == 1


def end_old(db: Connection, before: datetime, outcomes: list[GateOutcome]) -> int:
    """End the gates that have run since before that time as not checked. Returns their number."""
    return db.execute(
        """
        UPDATE evaluation_contribution_gates SET status = 'not_checked', outcomes = ?, checked_at = ?
        WHERE status = 'running' AND checked_at < ?
        """,
        [msgspec.json.encode(outcomes).decode(), now(), before],
    ).rowcount
