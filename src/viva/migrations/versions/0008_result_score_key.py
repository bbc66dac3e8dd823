"""A column with the score as lists of results sort it, so that every order is one row comparison."""

from alembic import op

revision = "0008"
down_revision = "0007"

# SQLite can add only generated columns that are computed on read; PostgreSQL can index only stored ones.
STORAGE = {"sqlite": "VIRTUAL", "postgresql": "STORED"}
SORTED = "evaluation_results (evaluation_id, {}, completed_at, id)"
STATEMENTS = (
    "DROP INDEX evaluation_results_by_score",
    "DROP INDEX evaluation_results_by_version_and_score",
    # A missing score becomes -1, which is below every score.
    """
    ALTER TABLE evaluation_results
        ADD COLUMN score_key DOUBLE PRECISION GENERATED ALWAYS AS (coalesce(score, -1)) {storage}
    """,
    f"CREATE INDEX evaluation_results_by_score ON {SORTED.format('score_key')}",
    f"CREATE INDEX evaluation_results_by_version_and_score ON {SORTED.format('evaluation_version, score_key')}",
)


def upgrade() -> None:
    storage = STORAGE[op.get_bind().dialect.name]
    for statement in STATEMENTS:
        op.execute(statement.replace("{storage}", storage))
