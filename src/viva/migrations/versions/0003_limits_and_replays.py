"""Answers kept for repeated requests, and counters of how often somebody called."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE kept_answers (
            caller TEXT NOT NULL,
            key_hash TEXT NOT NULL,
            request_digest TEXT NOT NULL,
            answer BYTEA,
            kept_at TIMESTAMPTZ NOT NULL,
            PRIMARY KEY (caller, key_hash)
        )
        """
    )
    op.execute("CREATE INDEX kept_answers_age ON kept_answers (kept_at)")
    op.execute(
        """
        CREATE TABLE limit_counters (
            subject TEXT NOT NULL,
            until BIGINT NOT NULL,
            used INTEGER NOT NULL,
            PRIMARY KEY (subject, until)
        )
        """
    )
