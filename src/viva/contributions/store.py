"""Contributions and their validations in the database."""

from typing import Any

import msgspec
from msgspec import Struct, structs

from viva.contributions.model import (
    Contribution,
    ContributionStatus,
    ContributionSummary,
    GateOutcome,
    GateReport,
    Proposal,
    Validation,
    WrongState,
    check_transition,
)
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, Fault, NotFound
from viva.kit.paging import take_fitting
from viva.kit.rows import find, many, one

CONTRIBUTION_COLUMNS = ", ".join(Contribution.__struct_fields__)
SUMMARY_COLUMNS = ", ".join(ContributionSummary.__struct_fields__)
JSON_COLUMNS = frozenset({"config", "prerequisites", "research_mapping", "exemplars"})


class NoSuchContribution(NotFound):
    """There is no contribution with this id, or it is not yours to see."""


class StaleRevision(Conflict):
    """Somebody else has changed this draft since you read it. Your change was not saved, and theirs is in the history."""

    def __init__(self, revision: int) -> None:
        message = f"The present revision is {revision}."
        super().__init__(f"{self.__doc__} {message}", faults=(Fault("revision", "stale_revision", message),))
        self.revision = revision


class ContributionsPage(Struct, frozen=True):
    """Some of a list, by limit and offset; `total` counts all of it. A page is shorter if its items are large."""

    contributions: list[ContributionSummary]
    total: int


def encode_columns(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: msgspec.json.encode(value).decode() if name in JSON_COLUMNS else value for name, value in values.items()
    }


def add(db: Connection, contribution: Contribution, token_hash: str | None, address_hash: str | None) -> None:
    values = encode_columns(structs.asdict(contribution)) | {"token_hash": token_hash, "address_hash": address_hash}
    places = ", ".join(f":{name}" for name in values)
    db.execute(f"INSERT INTO evaluation_contributions ({', '.join(values)}) VALUES ({places})", values)


def find_by_id(db: Connection, contribution_id: str) -> Contribution | None:
    return find(
        Contribution,
        db.execute(f"SELECT {CONTRIBUTION_COLUMNS} FROM evaluation_contributions WHERE id = ?", [contribution_id]),
    )


def get(db: Connection, contribution_id: str) -> Contribution:
    contribution = find_by_id(db, contribution_id)
    if contribution is None:
        raise NoSuchContribution()
    return contribution


def hold(db: Connection, contribution_id: str) -> Contribution:
    """The contribution, locked until commit, so that changes and decisions are serialized."""
    return one(
        Contribution,
        db.execute(
            f"UPDATE evaluation_contributions SET status = status WHERE id = ? RETURNING {CONTRIBUTION_COLUMNS}",
            [contribution_id],
        ),
        NoSuchContribution,
    )


def is_token_of(db: Connection, contribution_id: str, token_hash: str) -> bool:
    sql = "SELECT 1 FROM evaluation_contributions WHERE id = ? AND token_hash = ?"
    return db.execute(sql, [contribution_id, token_hash]).fetchone() is not None


def is_token_of_mailbox(db: Connection, contribution_id: str, token_hash: str, address: str) -> bool:
    """Whether the token opens the contribution, and its contributor gave this e-mail address."""
    sql = "SELECT 1 FROM evaluation_contributions WHERE id = ? AND token_hash = ? AND contributor_email = ?"
    return db.execute(sql, [contribution_id, token_hash, address]).fetchone() is not None


def is_known_token(db: Connection, token_hash: str) -> bool:
    row = db.execute(
        """
        SELECT 1 FROM evaluation_contributions WHERE token_hash = :token_hash
        UNION ALL SELECT 1 FROM evaluation_contribution_collaborators WHERE token_hash = :token_hash
        """,
        {"token_hash": token_hash},
    ).fetchone()
    return row is not None


def save(db: Connection, contribution_id: str, proposal: Proposal, revision: int | None) -> Contribution:
    """Store a changed draft as a new revision. It must still be a draft, and `revision` must be the present one."""
    values = encode_columns(structs.asdict(proposal))
    changes = ", ".join(f"{name} = :{name}" for name in values)
    same_revision = "" if revision is None else "AND revision = :revision"
    rows = db.execute(
        f"""
        UPDATE evaluation_contributions SET {changes}, revision = revision + 1, updated_at = :now
        WHERE id = :id AND status = 'draft' {same_revision} RETURNING {CONTRIBUTION_COLUMNS}
        """,
        values | {"id": contribution_id, "now": now()} | ({} if revision is None else {"revision": revision}),
    )
    saved = find(Contribution, rows)
    if saved is None:
        raise refusal_of(get(db, contribution_id))
    return saved


def refusal_of(present: Contribution) -> Conflict:
    """Why a draft was not saved: it is no draft any more, or its revision is another one."""
    if present.status != "draft":
        return WrongState(f"This contribution is {present.status.replace('_', ' ')}, so it cannot be changed.")
    return StaleRevision(present.revision)


def move_to(db: Connection, contribution: Contribution, target: ContributionStatus, **changes: Any) -> Contribution:
    """Change the state. The statement names the old state, so that one of two callers wins."""
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
    """Change columns that are neither state nor content."""
    assignments = ", ".join(f"{name} = :{name}" for name in changes)
    rows = db.execute(
        f"UPDATE evaluation_contributions SET {assignments} WHERE id = :id RETURNING {CONTRIBUTION_COLUMNS}",
        changes | {"id": contribution_id},
    )
    return one(Contribution, rows, NoSuchContribution)


def delete_draft(db: Connection, contribution_id: str) -> None:
    sql = "DELETE FROM evaluation_contributions WHERE id = ? AND status = 'draft'"
    if not db.execute(sql, [contribution_id]).rowcount:
        raise refusal_of(get(db, contribution_id))


def list_where(
    db: Connection, conditions: list[str], values: dict[str, Any], order: str, limit: int, offset: int
) -> ContributionsPage:
    """The ids come first, from an index. Only the rows of the page are read, because they hold whole documents."""
    where = " AND ".join(conditions)
    (total,) = db.execute(f"SELECT count(*) FROM evaluation_contributions WHERE {where}", values).fetchone()
    rows = db.execute(
        f"""
        SELECT {SUMMARY_COLUMNS} FROM evaluation_contributions WHERE id IN (
            SELECT id FROM evaluation_contributions WHERE {where} ORDER BY {order} LIMIT :limit OFFSET :offset)
        ORDER BY {order}
        """,
        values | {"limit": limit, "offset": offset},
    )
    return ContributionsPage(take_fitting(many(ContributionSummary, rows)), total)


def count_drafts(db: Connection, column: str, value: str) -> int:
    sql = f"SELECT count(*) FROM evaluation_contributions WHERE {column} = ? AND status = 'draft'"
    (count,) = db.execute(sql, [value]).fetchone()
    return int(count)


def put_validation(db: Connection, contribution_id: str, validation: Validation) -> None:
    encoded = {name: msgspec.json.encode(getattr(validation, name)).decode() for name in ("errors", "warnings")}
    db.execute(
        """
        INSERT INTO evaluation_contribution_validation (contribution_id, is_valid, errors, warnings, validated_at)
        VALUES (:id, :is_valid, :errors, :warnings, :now)
        ON CONFLICT (contribution_id) DO UPDATE SET
            is_valid = :is_valid, errors = :errors, warnings = :warnings, validated_at = :now
        """,
        encoded | {"id": contribution_id, "is_valid": validation.is_valid, "now": now()},
    )


def find_validation(db: Connection, contribution_id: str) -> Validation | None:
    """The last validation of the contribution."""
    rows = db.execute(
        "SELECT is_valid, errors, warnings FROM evaluation_contribution_validation WHERE contribution_id = ?",
        [contribution_id],
    )
    found = find(Validation, rows)
    return found and msgspec.convert(structs.asdict(found), Validation)


def find_gate(db: Connection, contribution_id: str, revision: int) -> GateReport | None:
    rows = db.execute(
        """
        SELECT revision, status, outcomes, checked_at FROM evaluation_contribution_gates
        WHERE contribution_id = ? AND revision = ?
        """,
        [contribution_id, revision],
    )
    found = find(GateReport, rows)
    return found and structs.replace(found, outcomes=msgspec.convert(found.outcomes, list[GateOutcome]))
