"""The code of contributed handlers, with each version of an evaluation."""

from alembic import op

revision = "0013"
down_revision = "0012"

# NULL for built-in handlers.
STATEMENTS = (
    "ALTER TABLE evaluation_definitions ADD COLUMN handler_code TEXT",
    "ALTER TABLE evaluation_versions ADD COLUMN handler_code TEXT",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
