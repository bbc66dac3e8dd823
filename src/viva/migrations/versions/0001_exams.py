"""Agents, evaluations, registrations, sessions with their messages, and results."""

from alembic import op

revision = "0001"
down_revision = None

# The same SQL runs on both databases: SQLite takes any type's name, and keeps times and JSON as text.
STATEMENTS = (
    """
    CREATE TABLE agents (
        id TEXT PRIMARY KEY,
        name TEXT,
        name_key TEXT,
        description TEXT NOT NULL,
        is_maintainer BOOLEAN NOT NULL DEFAULT FALSE,
        created_at TIMESTAMPTZ NOT NULL,
        deleted_at TIMESTAMPTZ,
        CONSTRAINT agents_name_key_key UNIQUE (name_key),
        CONSTRAINT agents_named_until_deleted CHECK ((deleted_at IS NULL) = (name IS NOT NULL)),
        CONSTRAINT agents_key_with_name CHECK ((name IS NULL) = (name_key IS NULL))
    )
    """,
    """
    CREATE TABLE agent_keys (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        hash TEXT NOT NULL,
        prefix TEXT NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT agent_keys_hash_key UNIQUE (hash)
    )
    """,
    "CREATE INDEX agent_keys_agent ON agent_keys (agent_id)",
    """
    CREATE TABLE evaluation_definitions (
        id TEXT PRIMARY KEY,
        sip INTEGER NOT NULL,
        name TEXT NOT NULL,
        title TEXT,
        description TEXT NOT NULL,
        module TEXT NOT NULL,
        department TEXT,
        type TEXT NOT NULL,
        status TEXT NOT NULL,
        version TEXT,
        digest TEXT NOT NULL,
        points DOUBLE PRECISION NOT NULL,
        prerequisites JSONB NOT NULL,
        author TEXT NOT NULL,
        config JSONB NOT NULL,
        handler TEXT NOT NULL,
        body TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        CONSTRAINT evaluation_definitions_sip_key UNIQUE (sip),
        CONSTRAINT evaluation_definitions_type CHECK (type IN
            ('simple_pass_fail', 'complex_benchmark', 'agent_certification', 'proctored', 'live_class_work')),
        CONSTRAINT evaluation_definitions_status CHECK (status IN ('draft', 'active', 'retired')),
        CONSTRAINT evaluation_definitions_points CHECK (points >= 0)
    )
    """,
    # Every version that was ever synced, as its whole document.
    """
    CREATE TABLE evaluation_versions (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        version TEXT NOT NULL,
        digest TEXT NOT NULL,
        document TEXT NOT NULL,
        first_synced_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (evaluation_id, version)
    )
    """,
    """
    CREATE TABLE evaluation_registrations (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        status TEXT NOT NULL,
        evaluation_version TEXT,
        evaluation_digest TEXT,
        registered_at TIMESTAMPTZ NOT NULL,
        started_at TIMESTAMPTZ,
        completed_at TIMESTAMPTZ,
        CONSTRAINT evaluation_registrations_status CHECK (status IN
            ('registered', 'in_progress', 'completed', 'failed', 'cancelled', 'expired')),
        CONSTRAINT evaluation_registrations_pinned_at_start CHECK
            ((started_at IS NULL) = (evaluation_version IS NULL) AND (started_at IS NULL) = (evaluation_digest IS NULL)),
        CONSTRAINT evaluation_registrations_started CHECK
            (status NOT IN ('in_progress', 'completed', 'failed') OR started_at IS NOT NULL),
        CONSTRAINT evaluation_registrations_ended CHECK
            ((status IN ('registered', 'in_progress')) = (completed_at IS NULL)),
        UNIQUE (id, evaluation_id),
        UNIQUE (id, agent_id, evaluation_id)
    )
    """,
    # One open registration for each agent and evaluation.
    """
    CREATE UNIQUE INDEX evaluation_registrations_agent_id_evaluation_id_key
        ON evaluation_registrations (agent_id, evaluation_id) WHERE status IN ('registered', 'in_progress')
    """,
    """
    CREATE INDEX evaluation_registrations_waiting
        ON evaluation_registrations (evaluation_id, started_at, id) WHERE status = 'in_progress'
    """,
    # A proctored session needs both its seats taken: the two foreign keys to participants are checked at commit.
    # A released or expired claim gives its registration back and keeps it in released_registration_id.
    """
    CREATE TABLE evaluation_sessions (
        id TEXT PRIMARY KEY,
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        kind TEXT NOT NULL,
        registration_id TEXT,
        released_registration_id TEXT,
        status TEXT NOT NULL,
        started_at TIMESTAMPTZ NOT NULL,
        ended_at TIMESTAMPTZ,
        message_count INTEGER NOT NULL DEFAULT 0,
        active_at TIMESTAMPTZ NOT NULL,
        proctor_seat TEXT GENERATED ALWAYS AS (CASE kind WHEN 'proctored' THEN 'proctor' END) STORED,
        candidate_seat TEXT GENERATED ALWAYS AS (CASE kind WHEN 'proctored' THEN 'candidate' END) STORED,
        CONSTRAINT evaluation_sessions_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_sessions_kind CHECK (kind IN ('proctored', 'live_class_work')),
        CONSTRAINT evaluation_sessions_status CHECK (status IN ('active', 'ended')),
        CONSTRAINT evaluation_sessions_ended CHECK ((status = 'ended') = (ended_at IS NOT NULL)),
        CONSTRAINT evaluation_sessions_proctored CHECK (CASE kind WHEN 'proctored'
            THEN (registration_id IS NULL) <> (released_registration_id IS NULL)
            ELSE registration_id IS NULL AND released_registration_id IS NULL END),
        CONSTRAINT evaluation_sessions_released CHECK (released_registration_id IS NULL OR status = 'ended'),
        FOREIGN KEY (registration_id, evaluation_id) REFERENCES evaluation_registrations (id, evaluation_id),
        FOREIGN KEY (released_registration_id, evaluation_id) REFERENCES evaluation_registrations (id, evaluation_id),
        UNIQUE (id, kind),
        UNIQUE (id, registration_id)
        {seats}
    )
    """,
    """
    CREATE INDEX evaluation_sessions_released_registration
        ON evaluation_sessions (released_registration_id) WHERE released_registration_id IS NOT NULL
    """,
    "CREATE INDEX evaluation_sessions_active ON evaluation_sessions (started_at) WHERE status = 'active'",
    # A seat is what can be taken once: proctor and candidate by their role, others each by themselves.
    """
    CREATE TABLE evaluation_session_participants (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        role TEXT NOT NULL,
        joined_at TIMESTAMPTZ NOT NULL,
        seat TEXT GENERATED ALWAYS AS (CASE WHEN role IN ('proctor', 'candidate') THEN role ELSE agent_id END) STORED,
        CONSTRAINT evaluation_session_participants_role CHECK (CASE kind
            WHEN 'proctored' THEN role IN ('proctor', 'candidate')
            ELSE role IN ('participant', 'instructor') END),
        CONSTRAINT evaluation_session_participants_session_id_agent_id_key UNIQUE (session_id, agent_id),
        CONSTRAINT evaluation_session_participants_session_id_seat_key UNIQUE (session_id, seat),
        UNIQUE (session_id, agent_id, role),
        FOREIGN KEY (session_id, kind) REFERENCES evaluation_sessions (id, kind)
    )
    """,
    "CREATE INDEX evaluation_session_participants_agent ON evaluation_session_participants (agent_id, joined_at)",
    """
    CREATE TABLE evaluation_messages (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES evaluation_sessions (id),
        sender_agent_id TEXT NOT NULL REFERENCES agents (id),
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        sequence INTEGER NOT NULL,
        CONSTRAINT evaluation_messages_sequence CHECK (sequence >= 1),
        CONSTRAINT evaluation_messages_session_id_sequence_key UNIQUE (session_id, sequence),
        CONSTRAINT evaluation_messages_sender_speaks_in_his_role FOREIGN KEY (session_id, sender_agent_id, role)
            REFERENCES evaluation_session_participants (session_id, agent_id, role)
    )
    """,
    """
    CREATE TABLE evaluation_results (
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
        CONSTRAINT evaluation_results_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_results_score CHECK (score IS NULL OR (score >= 0 AND score <= max_score)),
        CONSTRAINT evaluation_results_scored CHECK ((score IS NULL) = (max_score IS NULL)),
        CONSTRAINT evaluation_results_points CHECK (points_earned >= 0 AND (passed OR points_earned = 0)),
        FOREIGN KEY (registration_id, agent_id, evaluation_id)
            REFERENCES evaluation_registrations (id, agent_id, evaluation_id),
        FOREIGN KEY (session_id, registration_id) REFERENCES evaluation_sessions (id, registration_id)
    )
    """,
    "CREATE INDEX evaluation_results_newest ON evaluation_results (evaluation_id, completed_at, id)",
    "CREATE INDEX evaluation_results_agent ON evaluation_results (agent_id, completed_at, id)",
)

SEATS = """
    FOREIGN KEY (id, {role}_seat) REFERENCES evaluation_session_participants (session_id, seat)
        DEFERRABLE INITIALLY DEFERRED
"""


def upgrade() -> None:
    # SQLite cannot add a foreign key later and looks for its table only when rows come;
    # PostgreSQL looks for the table at once, which is why there the keys follow.
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    seats = [SEATS.format(role=role) for role in ("proctor", "candidate")]
    for statement in STATEMENTS:
        op.execute(statement.replace("{seats}", "".join(f", {seat}" for seat in seats) if on_sqlite else ""))
    if not on_sqlite:
        for seat in seats:
            op.execute(f"ALTER TABLE evaluation_sessions ADD {seat}")
