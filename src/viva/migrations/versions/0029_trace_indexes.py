"""Fewer indexes of traces, since each costs a page of the disk with every upload."""

from alembic import op

revision = "0029"
down_revision = "0028"

# A trace that was uploaded without an Idempotency-Key, without spans or without a dataset is not in the index of these.
INDEXES = (
    "CREATE UNIQUE INDEX traces_upload_key ON traces (owner_id, upload_key, upload_line) WHERE upload_key IS NOT NULL",
    "CREATE UNIQUE INDEX traces_span_key ON traces (owner_id, span_key) WHERE span_key IS NOT NULL",
    "CREATE INDEX traces_of_dataset ON traces (owner_id, dataset, received_at, id) WHERE dataset IS NOT NULL",
)
CHANGES_ON_POSTGRES = (
    "ALTER TABLE traces DROP CONSTRAINT traces_upload_key, DROP CONSTRAINT traces_span_key",
    "DROP INDEX traces_of_dataset",
    "DROP INDEX traces_received",
)
COLUMNS = (
    "id, owner_id, name, dataset, form, received_at, agents, turns, interactions, calls, dropped, masked, tags, "
    "stored_bytes, share_digest, analysis_id, overall_score, upload_key, upload_line, upload_digest, span_key, hidden_at"
)
# SQLite cannot drop a constraint, so the table is built again, with the indexes that stay.
CHANGES_ON_SQLITE = (
    """
    CREATE TABLE new_traces (
        id TEXT PRIMARY KEY,
        owner_id TEXT NOT NULL REFERENCES agents (id),
        name TEXT NOT NULL,
        dataset TEXT,
        form TEXT NOT NULL,
        received_at TIMESTAMPTZ NOT NULL,
        agents INTEGER NOT NULL,
        turns INTEGER NOT NULL,
        interactions INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        dropped JSONB NOT NULL,
        masked JSONB NOT NULL,
        tags JSONB NOT NULL,
        stored_bytes INTEGER NOT NULL,
        share_digest TEXT,
        analysis_id TEXT,
        overall_score DOUBLE PRECISION,
        upload_key TEXT,
        upload_line INTEGER,
        upload_digest TEXT,
        span_key TEXT,
        hidden_at TIMESTAMPTZ,
        CONSTRAINT traces_name CHECK (length(name) BETWEEN 1 AND 1000),
        CONSTRAINT traces_dataset CHECK (length(dataset) BETWEEN 1 AND 100),
        CONSTRAINT traces_overall_score CHECK (overall_score BETWEEN 0 AND 1)
    )
    """,
    f"INSERT INTO new_traces ({COLUMNS}) SELECT {COLUMNS} FROM traces",
    "DROP TABLE traces",
    "ALTER TABLE new_traces RENAME TO traces",
    "CREATE INDEX traces_newest ON traces (owner_id, received_at, id)",
    "CREATE INDEX traces_by_score ON traces (owner_id, (coalesce(overall_score, -1)), id)",
    "CREATE INDEX traces_by_name ON traces (owner_id, name, id)",
)


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in (*(CHANGES_ON_SQLITE if is_sqlite else CHANGES_ON_POSTGRES), *INDEXES):
        op.execute(statement)
