"""Contributions in the database."""
# stand-in

from datetime import datetime
from typing import Any

from msgspec import Struct

from viva.contributions.model import Contribution, ContributionStatus, WrongState, check_transition
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.rows import find, one

CONTRIBUTION_COLUMNS = ", ".join(Contribution.__struct_fields__)


class NoSuchContribution(NotFound):
    """There is no contribution with this id."""


class GateReport(Struct, frozen=True):
    revision: int
    status: str
    outcomes: list[Any]
    checked_at: datetime


def get(db: Connection, contribution_id: str) -> Contribution:
    sql = f"SELECT {CONTRIBUTION_COLUMNS} FROM evaluation_contributions WHERE id = ?"
    return one(Contribution, db.execute(sql, [contribution_id]), NoSuchContribution)


def hold(db: Connection, contribution_id: str) -> Contribution:
    sql = f"UPDATE evaluation_contributions SET status = status WHERE id = ? RETURNING {CONTRIBUTION_COLUMNS}"
    return one(Contribution, db.execute(sql, [contribution_id]), NoSuchContribution)


def move_to(db: Connection, contribution: Contribution, target: ContributionStatus, **changes: Any) -> Contribution:
    check_transition(contribution, target)
    values = {"status": target, "updated_at": now(), **changes}
    assignments = ", ".join(f"{name} = :{name}" for name in values)
    rows = db.execute(
        f"""
        UPDATE evaluation_contributions SET {assignments}
        WHERE id = :id AND status = :old_status RETURNING {CONTRIBUTION_COLUMNS}
        """,
        values | {"id": contribution.id, "old_status": contribution.status},
    )
    return one(Contribution, rows, WrongState)


def change(db: Connection, contribution_id: str, **changes: Any) -> Contribution:
    assignments = ", ".join(f"{name} = :{name}" for name in changes)
    rows = db.execute(
        f"UPDATE evaluation_contributions SET {assignments} WHERE id = :id RETURNING {CONTRIBUTION_COLUMNS}",
        changes | {"id": contribution_id},
    )
    return one(Contribution, rows, NoSuchContribution)


def find_gate(db: Connection, contribution_id: str, revision: int) -> GateReport | None:
    rows = db.execute(
        """
        SELECT revision, status, outcomes, checked_at FROM evaluation_contribution_gates
        WHERE contribution_id = ? AND revision = ?
        """,
        [contribution_id, revision],
    )
    return find(GateReport, rows)
