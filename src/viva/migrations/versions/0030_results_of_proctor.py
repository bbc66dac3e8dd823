"""An index of the results that each proctor decided. The one before had only those with feedback."""

from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.execute("DROP INDEX evaluation_results_feedback_of")
    op.execute(
        """
        CREATE INDEX evaluation_results_decided_by ON evaluation_results (proctor_agent_id, id)
            WHERE proctor_agent_id IS NOT NULL
        """
    )
