"""Whether a claim can lead to an official verdict, as it was at the claim; the texts of a class with parameters."""

from alembic import op

revision = "0026"
down_revision = "0025"

STATEMENTS = (
    "ALTER TABLE evaluation_sessions ADD may_be_official BOOLEAN NOT NULL DEFAULT FALSE",
    "ALTER TABLE evaluation_cohorts ADD filled TEXT",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
