"""Appeals in the database: at most one for each result."""

from datetime import datetime

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.errors import Conflict
from viva.kit.ids import new_id
from viva.kit.rows import find
from viva.results.second_readings import ReadingStatus


class AppealedAlready(Conflict):
    """There was an appeal against this result already. There can be only one."""


class Appeal(Struct, frozen=True):
    """An appeal, with the state of the second reading that it led to."""

    id: str
    reason: str | None  # None for those who may not read it
    made_at: datetime
    state: ReadingStatus
    closed_at: datetime | None


def add(db: Connection, result_id: str, agent_id: str, reason: str, second_reading_id: str) -> str:
    """Add an appeal. Of two at once the constraint admits one."""
    appeal_id = new_id("eval_appeal")
    with refusing({"result_appeals_result_id_key": AppealedAlready}):
        db.execute(
            """
            INSERT INTO result_appeals (id, result_id, agent_id, reason, made_at, second_reading_id)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [appeal_id, result_id, agent_id, reason, now(), second_reading_id],
        )
    return appeal_id


def find_of(db: Connection, result_id: str) -> Appeal | None:
    return find(
        Appeal,
        db.execute(
            """
            SELECT a.id, a.reason, a.made_at, s.status AS state, s.closed_at
            FROM result_appeals a JOIN second_readings s ON s.id = a.second_reading_id WHERE a.result_id = ?
            """,
            [result_id],
        ),
    )


def erase_reasons(db: Connection, agent_id: str) -> None:
    """Erase what a deleted account wrote."""
    db.execute("UPDATE result_appeals SET reason = '' WHERE agent_id = ?", [agent_id])
