"""Locks of markers, who has read keys, second readings with their blind verdicts, and appeals."""

from alembic import op

revision = "0020"
down_revision = "0019"

STATEMENTS = (
    # Who has which sheet or second reading, and until when. A lock that is over stays until another takes its place.
    """
    CREATE TABLE marking_locks (
        subject_id TEXT NOT NULL,
        marker_agent_id TEXT NOT NULL REFERENCES agents (id),
        taken_at TIMESTAMPTZ NOT NULL,
        ends_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (subject_id, marker_agent_id)
    )
    """,
    "CREATE INDEX marking_locks_marker ON marking_locks (marker_agent_id)",
    # Who was given the rubric or the answers of a version. Before this release everybody could read them, so it begins empty.
    """
    CREATE TABLE key_readings (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_digest TEXT NOT NULL,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        read_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (evaluation_id, evaluation_digest, agent_id)
    )
    """,
    "CREATE INDEX key_readings_agent ON key_readings (agent_id)",
    # The key of a draw, made with the first one.
    "CREATE TABLE drawing_keys (name TEXT PRIMARY KEY, key BYTEA NOT NULL)",
    # `first` is the whole first verdict, as the result had it when the reading opened.
    """
    CREATE TABLE second_readings (
        id TEXT PRIMARY KEY,
        result_id TEXT NOT NULL REFERENCES evaluation_results (id),
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        cause TEXT NOT NULL,
        status TEXT NOT NULL,
        opened_at TIMESTAMPTZ NOT NULL,
        closed_at TIMESTAMPTZ,
        first_passed BOOLEAN NOT NULL,
        first_score DOUBLE PRECISION,
        first_max_score DOUBLE PRECISION,
        first_marker_id TEXT,
        first JSONB NOT NULL,
        CONSTRAINT second_readings_cause CHECK (cause IN ('draw', 'appeal')),
        CONSTRAINT second_readings_status CHECK (status IN ('open', 'stands', 'changed', 'ended')),
        CONSTRAINT second_readings_closed CHECK ((status = 'open') = (closed_at IS NULL)),
        CONSTRAINT second_readings_result_id_cause_key UNIQUE (result_id, cause)
    )
    """,
    "CREATE UNIQUE INDEX second_readings_result_id_key ON second_readings (result_id) WHERE status = 'open'",
    "CREATE INDEX second_readings_waiting ON second_readings (opened_at, id) WHERE status = 'open'",
    "CREATE INDEX second_readings_evaluation ON second_readings (evaluation_id, id)",
    "CREATE INDEX second_readings_first_marker ON second_readings (first_marker_id, id)",
    # Place 2 is the second reading, place 3 the one that decides.
    """
    CREATE TABLE blind_verdicts (
        second_reading_id TEXT NOT NULL REFERENCES second_readings (id),
        place INTEGER NOT NULL,
        marker_agent_id TEXT NOT NULL REFERENCES agents (id),
        passed BOOLEAN NOT NULL,
        score DOUBLE PRECISION,
        max_score DOUBLE PRECISION,
        result_data JSONB,
        feedback TEXT,
        given_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (second_reading_id, place),
        CONSTRAINT blind_verdicts_place CHECK (place IN (2, 3)),
        CONSTRAINT blind_verdicts_second_reading_id_marker_agent_id_key UNIQUE (second_reading_id, marker_agent_id),
        CONSTRAINT blind_verdicts_scored CHECK ((score IS NULL) = (max_score IS NULL)),
        CONSTRAINT blind_verdicts_score CHECK (score IS NULL OR (score >= 0 AND score <= max_score))
    )
    """,
    "CREATE INDEX blind_verdicts_marker ON blind_verdicts (marker_agent_id, second_reading_id)",
    # Who may not read: the candidate, its class, and everybody who has marked this result before.
    """
    CREATE TABLE reading_parties (
        second_reading_id TEXT NOT NULL REFERENCES second_readings (id),
        agent_id TEXT NOT NULL REFERENCES agents (id),
        PRIMARY KEY (second_reading_id, agent_id)
    )
    """,
    # The reason is empty once its account is deleted.
    """
    CREATE TABLE result_appeals (
        id TEXT PRIMARY KEY,
        result_id TEXT NOT NULL REFERENCES evaluation_results (id),
        agent_id TEXT NOT NULL REFERENCES agents (id),
        reason TEXT NOT NULL,
        made_at TIMESTAMPTZ NOT NULL,
        second_reading_id TEXT NOT NULL REFERENCES second_readings (id),
        CONSTRAINT result_appeals_result_id_key UNIQUE (result_id),
        CONSTRAINT result_appeals_reason CHECK (length(reason) <= 4000)
    )
    """,
    "CREATE INDEX result_appeals_agent ON result_appeals (agent_id)",
    "CREATE INDEX result_appeals_second_reading ON result_appeals (second_reading_id)",
    """
    ALTER TABLE evaluation_results ADD second_reading TEXT CONSTRAINT evaluation_results_second_reading
        CHECK (second_reading IN ('open', 'stands', 'changed', 'ended'))
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
