"""The revisions of a draft in the database, each with its whole content."""

import msgspec

from viva.contributions.model import Contribution, DraftRevision, Proposal
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.rows import many

REVISION_COLUMNS = ", ".join(DraftRevision.__struct_fields__)
MAX_REVISIONS = 100  # for each draft; a form that saves by itself makes many
MAX_HISTORY_CHARACTERS = 8_000_000  # for each draft; 100 revisions of an ordinary one have about a million


class NoSuchRevision(NotFound):
    """This draft has no such revision, or it is too old and was dropped."""


def add(db: Connection, contribution: Contribution, editor_id: str | None, editor_name: str) -> None:
    """Store the present revision. Beyond the maximum, the oldest ones that were not submitted are dropped."""
    content = msgspec.json.encode(contribution.proposal).decode()
    db.execute(
        """
        INSERT INTO evaluation_contribution_revisions
            (contribution_id, revision, content, editor_id, editor_name, saved_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [contribution.id, contribution.revision, content, editor_id, editor_name, contribution.updated_at],
    )
    drop_oldest(db, contribution.id, contribution.revision)


def drop_oldest(db: Connection, contribution_id: str, present: int) -> None:
    """Drop what is beyond the number or the size of a history, counted from the newest revision. The submitted ones come first."""
    db.execute(
        """
        DELETE FROM evaluation_contribution_revisions
        WHERE contribution_id = :id AND submission IS NULL AND revision < :present AND revision IN (
            SELECT revision FROM (
                SELECT revision, count(*) OVER newest_first AS number, sum(length(CAST(content AS TEXT))) OVER newest_first AS size
                FROM evaluation_contribution_revisions WHERE contribution_id = :id
                WINDOW newest_first AS (ORDER BY submission IS NULL, revision DESC)) AS kept
            WHERE number > :max_number OR size > :max_size)
        """,
        {
            "id": contribution_id,
            "present": present,
            "max_number": MAX_REVISIONS,
            "max_size": MAX_HISTORY_CHARACTERS,
        },
    )


def mark_submitted(db: Connection, contribution: Contribution) -> None:
    db.execute(
        "UPDATE evaluation_contribution_revisions SET submission = ? WHERE contribution_id = ? AND revision = ?",
        [contribution.submissions, contribution.id, contribution.revision],
    )


def list_revisions(db: Connection, contribution_id: str) -> list[DraftRevision]:
    """The newest revisions first."""
    rows = db.execute(
        f"""
        SELECT {REVISION_COLUMNS} FROM evaluation_contribution_revisions
        WHERE contribution_id = ? ORDER BY revision DESC LIMIT ?
        """,
        [contribution_id, MAX_REVISIONS],
    )
    return many(DraftRevision, rows)


def get_content(db: Connection, contribution_id: str, revision: int) -> Proposal:
    row = db.execute(
        "SELECT content FROM evaluation_contribution_revisions WHERE contribution_id = ? AND revision = ?",
        [contribution_id, revision],
    ).fetchone()
    if row is None:
        raise NoSuchRevision()
    return msgspec.json.decode(row[0], type=Proposal)


def find_submitted(db: Connection, contribution_id: str, submission: int) -> Proposal | None:
    """The content as it was submitted for the first, second or later time."""
    row = db.execute(
        """
        SELECT content FROM evaluation_contribution_revisions
        WHERE contribution_id = ? AND submission = ? ORDER BY revision DESC LIMIT 1
        """,
        [contribution_id, submission],
    ).fetchone()
    return msgspec.json.decode(row[0], type=Proposal) if row else None


def find_previous(db: Connection, contribution_id: str, revision: int) -> int | None:
    """The number of the revision before this one."""
    row = db.execute(
        "SELECT max(revision) FROM evaluation_contribution_revisions WHERE contribution_id = ? AND revision < ?",
        [contribution_id, revision],
    ).fetchone()
    return None if row[0] is None else int(row[0])
