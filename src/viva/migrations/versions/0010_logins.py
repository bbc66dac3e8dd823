"""Browser logins, so that the server ends them at sign-out or when the key is revoked."""

from alembic import op

revision = "0010"
down_revision = "0009"

STATEMENTS = (
    """
    CREATE TABLE logins (
        hash TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        key_id TEXT NOT NULL REFERENCES agent_keys (id) ON DELETE CASCADE,
        created_at TIMESTAMPTZ NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL
    )
    """,
    "CREATE INDEX logins_of_agent ON logins (agent_id, created_at)",
    "CREATE INDEX logins_of_key ON logins (key_id)",
    "CREATE INDEX logins_by_age ON logins (expires_at)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
