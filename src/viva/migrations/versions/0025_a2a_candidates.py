"""Candidates that are A2A agents: their addresses, and which message of the proctor their agent is being asked."""

from alembic import op

revision = "0025"
down_revision = "0024"

STATEMENTS = (
    "ALTER TABLE evaluation_registrations ADD a2a_url TEXT",
    # NULL: the hub asks no agent in this session. 0: no question is open. Otherwise the sequence of the message that is
    # being asked: one at a time, so each message gets one reply and their order stays.
    """
    ALTER TABLE evaluation_sessions ADD a2a_asked INTEGER
        CONSTRAINT evaluation_sessions_a2a_asked CHECK (a2a_asked >= 0)
    """,
    # Why the last message that got no reply got none.
    "ALTER TABLE evaluation_sessions ADD a2a_fault TEXT",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
