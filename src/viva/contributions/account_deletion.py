"""Deleting an account with its contributions: drafts go, submissions stay under the name of deleted agents."""

from viva.agents.model import Agent
from viva.analyses import deleting
from viva.exams import account_deletion
from viva.kit.db import Connection
from viva.kit.deleted import DELETED_NAME

STATEMENTS = (
    "DELETE FROM evaluation_contributions WHERE contributor_id = :id AND status = 'draft'",
    """
    UPDATE evaluation_contributions SET author = :deleted
    WHERE contributor_id = :id AND author = contributor_name
    """,
    "UPDATE evaluation_contributions SET contributor_name = :deleted, contributor_email = NULL WHERE contributor_id = :id",
    "UPDATE evaluation_contribution_revisions SET editor_name = :deleted WHERE editor_id = :id",
    "UPDATE evaluation_contribution_comments SET author_name = :deleted WHERE author_id = :id",
    "DELETE FROM evaluation_contribution_collaborators WHERE agent_id = :id",
    "DELETE FROM evaluation_contribution_votes WHERE agent_id = :id",
)


def delete_account(db: Connection, agent: Agent) -> None:
    """Delete the account, its drafts and traces, and its name on everything that stays."""
    for statement in STATEMENTS:
        db.execute(statement, {"id": agent.id, "deleted": DELETED_NAME})
    deleting.delete_of_account(db, agent.id)
    account_deletion.delete_account(db, agent)
