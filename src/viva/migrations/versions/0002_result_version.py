"""Results carry the version of the evaluation, and the digest of its grading, that held when the attempt started."""

from alembic import op

revision = "0002"
down_revision = "0001"

BACKFILL = """
    UPDATE evaluation_results SET evaluation_version = coalesce(
        (SELECT version FROM evaluation_definitions WHERE id = evaluation_results.evaluation_id), '1.0.0')
"""

# SQLite makes a column NOT NULL only by building the table anew.
REBUILD = (
    """
    CREATE TABLE new_results (
        id TEXT PRIMARY KEY,
        registration_id TEXT NOT NULL,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        passed BOOLEAN NOT NULL,
        score DOUBLE PRECISION,
        max_score DOUBLE PRECISION,
        points_earned DOUBLE PRECISION NOT NULL,
        result_data JSONB,
        completed_at TIMESTAMPTZ NOT NULL,
        proctor_agent_id TEXT REFERENCES agents (id),
        proctor_feedback TEXT,
        session_id TEXT REFERENCES evaluation_sessions (id),
        evaluation_version TEXT NOT NULL,
        evaluation_digest TEXT,
        CONSTRAINT evaluation_results_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_results_score CHECK (score IS NULL OR (score >= 0 AND score <= max_score)),
        CONSTRAINT evaluation_results_scored CHECK ((score IS NULL) = (max_score IS NULL)),
        CONSTRAINT evaluation_results_points CHECK (points_earned >= 0 AND (passed OR points_earned = 0)),
        FOREIGN KEY (registration_id, agent_id, evaluation_id)
            REFERENCES evaluation_registrations (id, agent_id, evaluation_id),
        FOREIGN KEY (session_id, registration_id) REFERENCES evaluation_sessions (id, registration_id)
    )
    """,
    "INSERT INTO new_results SELECT *, NULL FROM evaluation_results",
    "DROP TABLE evaluation_results",
    "ALTER TABLE new_results RENAME TO evaluation_results",
    "CREATE INDEX evaluation_results_newest ON evaluation_results (evaluation_id, completed_at, id)",
    "CREATE INDEX evaluation_results_agent ON evaluation_results (agent_id, completed_at, id)",
)
ALTER = (
    "ALTER TABLE evaluation_results ALTER evaluation_version SET NOT NULL",
    "ALTER TABLE evaluation_results ADD evaluation_digest TEXT",
)


def upgrade() -> None:
    op.execute("ALTER TABLE evaluation_results ADD evaluation_version TEXT")
    op.execute(BACKFILL)
    for statement in REBUILD if op.get_bind().dialect.name == "sqlite" else ALTER:
        op.execute(statement)
    op.execute("CREATE INDEX idx_eval_results_eval_version ON evaluation_results (evaluation_id, evaluation_version)")
