"""Whether a claim can lead to an official verdict; the texts of a class with parameters; who has ever read a draft."""

from alembic import op

revision = "0026"
down_revision = "0025"

STATEMENTS = (
    "ALTER TABLE evaluation_sessions ADD may_be_official BOOLEAN NOT NULL DEFAULT FALSE",
    "ALTER TABLE evaluation_cohorts ADD filled TEXT",
    # Collaborators can be removed. What they have read stays read.
    """
    CREATE TABLE evaluation_contribution_readers (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        PRIMARY KEY (contribution_id, agent_id)
    )
    """,
    """
    INSERT INTO evaluation_contribution_readers (contribution_id, agent_id)
    SELECT contribution_id, agent_id FROM evaluation_contribution_collaborators WHERE agent_id IS NOT NULL
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
