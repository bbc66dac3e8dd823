"""The order of jobs between accounts, so that many jobs of one do not hold up those of the others."""

from alembic import op

revision = "0023"
down_revision = "0022"

STATEMENTS = (
    # Jobs that are due are taken in the order of `queued_at`. `account_id` is the account for which a job is done.
    "ALTER TABLE jobs ADD queued_at TIMESTAMPTZ",
    "ALTER TABLE jobs ADD account_id TEXT",
    "UPDATE jobs SET queued_at = coalesce(due_at, created_at)",
    "DROP INDEX jobs_due",
    "CREATE INDEX jobs_queued ON jobs (pool, queued_at) WHERE due_at IS NOT NULL",
    """
    CREATE INDEX jobs_of_account ON jobs (account_id, pool, queued_at)
        WHERE status = 'waiting' AND account_id IS NOT NULL
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
