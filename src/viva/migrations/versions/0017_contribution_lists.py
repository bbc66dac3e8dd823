"""Indexes for what lists and sweeps ask of many contributions."""

from alembic import op

revision = "0017"
down_revision = "0016"

STATEMENTS = (
    # With the contributor, so that the queue counts and filters without reading the documents.
    "DROP INDEX idx_eval_contrib_status",
    """
    CREATE INDEX idx_eval_contrib_status ON evaluation_contributions
        (status, submitted_at, id, contributor_id, contributor_name)
    """,
    # The figures of contributors are about the latest submissions.
    """
    CREATE INDEX evaluation_contributions_submissions ON evaluation_contributions (submitted_at)
        WHERE submitted_at IS NOT NULL
    """,
    # With the flag as a column too, so that SQLite needs no row to count what is open.
    """
    CREATE INDEX evaluation_contributions_community ON evaluation_contributions
        (status, submitted_at, id, is_open_to_community) WHERE is_open_to_community
    """,
    # Each sweep looks for gates that were interrupted. Few gates run at one time.
    """
    CREATE INDEX evaluation_contribution_gates_running ON evaluation_contribution_gates (checked_at)
        WHERE status = 'running'
    """,
    # What an account leaves behind is found by the account.
    """
    CREATE INDEX evaluation_contribution_revisions_by ON evaluation_contribution_revisions (editor_id)
        WHERE editor_id IS NOT NULL
    """,
    """
    CREATE INDEX evaluation_contribution_comments_by ON evaluation_contribution_comments (author_id)
        WHERE author_id IS NOT NULL
    """,
    "CREATE INDEX evaluation_contribution_votes_by ON evaluation_contribution_votes (agent_id)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
