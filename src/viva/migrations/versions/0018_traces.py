"""Traces with their texts, tags, marks and spans; analyses of traces and of hosted runs; jobs for processes."""

import zlib

from alembic import op
from sqlalchemy import text

revision = "0018"
down_revision = "0017"

STATEMENTS = (
    # `upload_key` is the hash of an Idempotency-Key. A repeated upload finds the traces of the first by key and line.
    # `span_key` is the trace id of OpenTelemetry, for a trace whose spans come in several requests.
    """
    CREATE TABLE traces (
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
        CONSTRAINT traces_name CHECK (length(name) BETWEEN 1 AND 1000),
        CONSTRAINT traces_dataset CHECK (length(dataset) BETWEEN 1 AND 100),
        CONSTRAINT traces_overall_score CHECK (overall_score BETWEEN 0 AND 1),
        CONSTRAINT traces_upload_key UNIQUE (owner_id, upload_key, upload_line),
        CONSTRAINT traces_span_key UNIQUE (owner_id, span_key)
    )
    """,
    "CREATE INDEX traces_newest ON traces (owner_id, received_at, id)",
    "CREATE INDEX traces_of_dataset ON traces (owner_id, dataset, received_at, id)",
    # A trace without a score sorts as if it had -1, since NULL has no place in a keyset.
    "CREATE INDEX traces_by_score ON traces (owner_id, (coalesce(overall_score, -1)), id)",
    "CREATE INDEX traces_by_name ON traces (owner_id, name, id)",
    "CREATE INDEX traces_received ON traces (received_at)",
    # The trace as it was read, in our own format, compressed. Lists never read it.
    """
    CREATE TABLE trace_texts (
        trace_id TEXT PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
        content BYTEA NOT NULL
    )
    """,
    """
    CREATE TABLE trace_tags (
        trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
        owner_id TEXT NOT NULL,
        tag TEXT NOT NULL,
        PRIMARY KEY (trace_id, tag)
    )
    """,
    "CREATE INDEX trace_tags_of_owner ON trace_tags (owner_id, tag, trace_id)",
    # What an account has stored, so that two uploads at once cannot pass the quota together.
    """
    CREATE TABLE trace_usage (
        owner_id TEXT PRIMARY KEY REFERENCES agents (id),
        traces INTEGER NOT NULL,
        stored_bytes BIGINT NOT NULL,
        CONSTRAINT trace_usage_counts CHECK (traces >= 0 AND stored_bytes >= 0)
    )
    """,
    # -1 stands for a place that has no interaction or no step: NULL would not be unique.
    """
    CREATE TABLE trace_marks (
        trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        turn_index INTEGER NOT NULL,
        interaction_index INTEGER NOT NULL,
        step_index INTEGER NOT NULL,
        is_right BOOLEAN NOT NULL,
        marked_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (trace_id, kind, turn_index, interaction_index, step_index)
    )
    """,
    # Spans as they came, one row for each request and trace. All spans of a group are read as one document, again when
    # others come. `waiting_since` is when the first came that is not read yet; `reason` says why they could not be read.
    """
    CREATE TABLE trace_span_groups (
        owner_id TEXT NOT NULL REFERENCES agents (id),
        span_key TEXT NOT NULL,
        dataset TEXT,
        changed_at TIMESTAMPTZ NOT NULL,
        stored_bytes BIGINT NOT NULL,
        waiting_since TIMESTAMPTZ,
        reason TEXT,
        PRIMARY KEY (owner_id, span_key)
    )
    """,
    "CREATE INDEX trace_span_groups_changed ON trace_span_groups (changed_at)",
    """
    CREATE TABLE trace_spans (
        id TEXT PRIMARY KEY,
        owner_id TEXT NOT NULL,
        span_key TEXT NOT NULL,
        content BYTEA NOT NULL,
        FOREIGN KEY (owner_id, span_key) REFERENCES trace_span_groups (owner_id, span_key) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX trace_spans_of ON trace_spans (owner_id, span_key, id)",
    # One run of the engine over a trace or a hosted run. `content` is the analysis in JSON, compressed.
    """
    CREATE TABLE analyses (
        id TEXT PRIMARY KEY,
        subject_kind TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        trace_id TEXT GENERATED ALWAYS AS (CASE subject_kind WHEN 'trace' THEN subject_id END) STORED,
        options JSONB NOT NULL,
        status TEXT NOT NULL,
        job_id TEXT,
        reason TEXT,
        requested_at TIMESTAMPTZ NOT NULL,
        finished_at TIMESTAMPTZ,
        engine_version TEXT,
        turns INTEGER NOT NULL,
        turns_done INTEGER NOT NULL,
        overall_score DOUBLE PRECISION,
        task_completion BOOLEAN,
        bad_responses INTEGER,
        issues_count INTEGER,
        content BYTEA,
        CONSTRAINT analyses_subject CHECK (subject_kind IN ('trace', 'session', 'cohort')),
        CONSTRAINT analyses_status CHECK (status IN ('waiting', 'done', 'failed')),
        CONSTRAINT analyses_finished CHECK ((status = 'waiting') = (finished_at IS NULL)),
        CONSTRAINT analyses_content CHECK ((status = 'done') = (content IS NOT NULL)),
        CONSTRAINT analyses_failed_for_a_reason CHECK (status <> 'failed' OR reason IS NOT NULL),
        FOREIGN KEY (trace_id) REFERENCES traces (id) ON DELETE CASCADE
    )
    """,
    "CREATE INDEX analyses_of_subject ON analyses (subject_kind, subject_id, id)",
    "CREATE INDEX analyses_of_trace ON analyses (trace_id) WHERE trace_id IS NOT NULL",
    """
    CREATE TABLE analysis_agents (
        analysis_id TEXT NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
        agent_id TEXT NOT NULL,
        name TEXT NOT NULL,
        role TEXT,
        overall DOUBLE PRECISION,
        tool_use DOUBLE PRECISION,
        reasoning DOUBLE PRECISION,
        handoff DOUBLE PRECISION,
        response_quality DOUBLE PRECISION,
        interactions INTEGER NOT NULL,
        PRIMARY KEY (analysis_id, agent_id)
    )
    """,
    # How often each kind of detection and issue was found in an analysis, for each agent.
    """
    CREATE TABLE analysis_findings (
        analysis_id TEXT NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        severity TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        occurrences INTEGER NOT NULL,
        PRIMARY KEY (analysis_id, kind, agent_id)
    )
    """,
    # Jobs that need a core for long are done in processes of their own, so that they delay no other job.
    "ALTER TABLE jobs ADD pool TEXT NOT NULL DEFAULT 'threads' CONSTRAINT jobs_pool CHECK (pool IN ('threads', 'processes'))",
    "DROP INDEX jobs_due",
    "CREATE INDEX jobs_due ON jobs (pool, due_at) WHERE due_at IS NOT NULL",
)

MOVE_CLASS_ANALYSIS = """
    INSERT INTO analyses (id, subject_kind, subject_id, options, status, requested_at, finished_at, engine_version,
        turns, turns_done, content)
    VALUES (:id, 'cohort', :cohort_id, '{"fast": true}', 'done', :at, :at, '1.0.0', 0, 0, :content)
"""


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
    move_class_analyses()
    op.execute("ALTER TABLE evaluation_cohorts DROP COLUMN analysis")


def move_class_analyses() -> None:
    """Class work had its analysis in a column of the cohort."""
    connection = op.get_bind()
    found = connection.execute(
        text("SELECT id, ended_at, CAST(analysis AS TEXT) FROM evaluation_cohorts WHERE analysis IS NOT NULL")
    ).fetchall()
    for cohort_id, ended_at, analysis in found:
        analysis_id = "analysis" + cohort_id.removeprefix("eval_cohort")
        values = {
            "id": analysis_id,
            "cohort_id": cohort_id,
            "at": ended_at,
            "content": zlib.compress(analysis.encode()),
        }
        connection.execute(text(MOVE_CLASS_ANALYSIS), values)
