"""The collaborators of a draft in the database."""

from viva.contributions.model import Collaborator
from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.rows import find, many, one

COLLABORATOR_COLUMNS = ", ".join(Collaborator.__struct_fields__)
# SQLite names a constraint by its columns. PostgreSQL has the shorter name, because it allows only 63 characters.
ACCOUNT_CONSTRAINTS = (
    "evaluation_contribution_collaborators_agent_key",
    "evaluation_contribution_collaborators_contribution_id_agent_id_key",
)
MAX_COLLABORATORS = 20  # for each draft


class NoSuchCollaborator(NotFound):
    """This draft has no such collaborator."""


class NoSuchInvitation(NotFound):
    """This invitation is not valid: it was used, or the collaborator was removed."""


class CollaboratesAlready(Conflict):
    """This account collaborates on this draft already."""


def add(db: Connection, contribution_id: str, name: str, token_hash: str) -> Collaborator:
    collaborator = Collaborator(new_id("eval_collab"), None, name, now(), None)
    db.execute(
        """
        INSERT INTO evaluation_contribution_collaborators (id, contribution_id, name, token_hash, invited_at)
        VALUES (?, ?, ?, ?, ?)
        """,
        [collaborator.id, contribution_id, name, token_hash, collaborator.invited_at],
    )
    return collaborator


def find_collaborator(
    db: Connection, contribution_id: str, agent_id: str | None, token_hash: str | None
) -> Collaborator | None:
    """The collaborator that this account or this token stands for."""
    rows = db.execute(
        f"""
        SELECT {COLLABORATOR_COLUMNS} FROM evaluation_contribution_collaborators
        WHERE contribution_id = ? AND (agent_id = ? OR token_hash = ?) ORDER BY id LIMIT 1
        """,
        [contribution_id, agent_id, token_hash],
    )
    return find(Collaborator, rows)


def list_collaborators(db: Connection, contribution_id: str) -> list[Collaborator]:
    rows = db.execute(
        f"""
        SELECT {COLLABORATOR_COLUMNS} FROM evaluation_contribution_collaborators
        WHERE contribution_id = ? ORDER BY id LIMIT ?
        """,
        [contribution_id, MAX_COLLABORATORS],
    )
    return many(Collaborator, rows)


def join_with_account(db: Connection, token_hash: str, agent_id: str, name: str) -> str:
    """Give the invitation to the account, and return the id of the contribution. The link does not work again."""
    with refusing(dict.fromkeys(ACCOUNT_CONSTRAINTS, CollaboratesAlready)):
        row = db.execute(
            """
            UPDATE evaluation_contribution_collaborators SET agent_id = ?, name = ?, joined_at = ?, token_hash = NULL
            WHERE token_hash = ? RETURNING contribution_id
            """,
            [agent_id, name, now(), token_hash],
        ).fetchone()
    if row is None:
        raise NoSuchInvitation()
    db.execute(
        "INSERT INTO evaluation_contribution_readers (contribution_id, agent_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [row[0], agent_id],
    )
    return str(row[0])


def join_with_token(db: Connection, token_hash: str, name: str) -> str:
    """Note that the holder of the link has come, and return the id of the contribution."""
    row = db.execute(
        """
        UPDATE evaluation_contribution_collaborators SET name = ?, joined_at = coalesce(joined_at, ?)
        WHERE token_hash = ? RETURNING contribution_id
        """,
        [name, now(), token_hash],
    ).fetchone()
    if row is None:
        raise NoSuchInvitation()
    return str(row[0])


def remove(db: Connection, contribution_id: str, collaborator_id: str) -> Collaborator:
    """Take the right to edit. What the collaborator has read stays read (`exams/key_readers`)."""
    rows = db.execute(
        f"""
        DELETE FROM evaluation_contribution_collaborators WHERE contribution_id = ? AND id = ?
        RETURNING {COLLABORATOR_COLUMNS}
        """,
        [contribution_id, collaborator_id],
    )
    return one(Collaborator, rows, NoSuchCollaborator)
