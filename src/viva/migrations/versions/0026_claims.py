"""Whether the verdict of a claim can be official, as it was at the claim: only then it can use a try."""

from alembic import op

revision = "0026"
down_revision = "0025"

STATEMENTS = ("ALTER TABLE evaluation_sessions ADD may_be_official BOOLEAN NOT NULL DEFAULT FALSE",)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
