"""The queue of background work."""

from alembic import op

revision = "0004"
down_revision = "0003"

# due_at is when a waiting job may be taken and when the lease of a running one ends: a job is there to be taken, for
# whichever reason, once its due_at has passed.
STATEMENTS = (
    """
    CREATE TABLE jobs (
        id TEXT PRIMARY KEY,
        work TEXT NOT NULL,
        data JSONB NOT NULL,
        status TEXT NOT NULL,
        tries INTEGER NOT NULL,
        due_at TIMESTAMPTZ,
        lease TEXT,
        reason TEXT,
        created_at TIMESTAMPTZ NOT NULL,
        finished_at TIMESTAMPTZ,
        CONSTRAINT jobs_status CHECK (status IN ('waiting', 'running', 'done', 'failed')),
        CONSTRAINT jobs_tries CHECK (tries >= 0),
        CONSTRAINT jobs_due_until_finished CHECK ((due_at IS NOT NULL) = (status IN ('waiting', 'running'))),
        CONSTRAINT jobs_finished_in_the_end CHECK ((finished_at IS NOT NULL) = (status IN ('done', 'failed'))),
        CONSTRAINT jobs_leased_while_running CHECK ((lease IS NOT NULL) = (status = 'running')),
        CONSTRAINT jobs_failed_for_a_reason CHECK (status <> 'failed' OR reason IS NOT NULL)
    )
    """,
    "CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL",
    "CREATE INDEX jobs_by_status ON jobs (status, id)",
    "CREATE INDEX jobs_done ON jobs (finished_at) WHERE status = 'done'",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
