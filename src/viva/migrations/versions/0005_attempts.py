"""Challenges, saved answers, attempts, sheets with their marks, and cohorts; results may belong to a cohort."""

from alembic import op

revision = "0005"
down_revision = "0004"

STATEMENTS = (
    # What an attempt is given when it starts; used once, by handing in.
    """
    CREATE TABLE evaluation_challenges (
        id TEXT PRIMARY KEY,
        registration_id TEXT NOT NULL REFERENCES evaluation_registrations (id),
        content JSONB NOT NULL,
        issued_at TIMESTAMPTZ NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL,
        used_at TIMESTAMPTZ,
        CONSTRAINT evaluation_challenges_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_challenges_in_time CHECK (used_at IS NULL OR used_at <= expires_at)
    )
    """,
    "CREATE INDEX evaluation_challenges_open ON evaluation_challenges (expires_at) WHERE used_at IS NULL",
    # Saved as the candidate goes, so that what it has answered is not lost. The answer is JSON kept as text: in a column
    # called JSONB, SQLite would make a number of a text that is one.
    """
    CREATE TABLE evaluation_answers (
        registration_id TEXT NOT NULL REFERENCES evaluation_registrations (id),
        question_id TEXT NOT NULL,
        answer TEXT NOT NULL,
        answered_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (registration_id, question_id)
    )
    """,
    """
    CREATE TABLE evaluation_attempts (
        registration_id TEXT PRIMARY KEY REFERENCES evaluation_registrations (id),
        content JSONB NOT NULL,
        submitted_at TIMESTAMPTZ NOT NULL
    )
    """,
    # A run of class work: open while agents join, then running, then finished or cancelled.
    """
    CREATE TABLE evaluation_cohorts (
        id TEXT PRIMARY KEY,
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_version TEXT NOT NULL,
        evaluation_digest TEXT NOT NULL,
        status TEXT NOT NULL,
        min_participants INTEGER NOT NULL,
        max_participants INTEGER NOT NULL,
        participant_count INTEGER NOT NULL DEFAULT 0,
        instructor_agent_id TEXT REFERENCES agents (id),
        opened_by_agent_id TEXT NOT NULL REFERENCES agents (id),
        session_id TEXT,
        session_kind TEXT GENERATED ALWAYS AS ('live_class_work') STORED,
        opened_at TIMESTAMPTZ NOT NULL,
        started_at TIMESTAMPTZ,
        ends_at TIMESTAMPTZ,
        ended_at TIMESTAMPTZ,
        analysis JSONB,
        CONSTRAINT evaluation_cohorts_status CHECK (status IN ('open', 'running', 'finished', 'cancelled')),
        CONSTRAINT evaluation_cohorts_size CHECK
            (1 <= min_participants AND min_participants <= max_participants),
        CONSTRAINT evaluation_cohorts_seats CHECK (participant_count BETWEEN 0 AND max_participants),
        CONSTRAINT evaluation_cohorts_running CHECK
            (status = 'cancelled' OR (status = 'open') = (session_id IS NULL)),
        CONSTRAINT evaluation_cohorts_started CHECK
            ((session_id IS NULL) = (started_at IS NULL) AND (session_id IS NULL) = (ends_at IS NULL)),
        CONSTRAINT evaluation_cohorts_ended CHECK ((status IN ('finished', 'cancelled')) = (ended_at IS NOT NULL)),
        CONSTRAINT evaluation_cohorts_session_id_key UNIQUE (session_id),
        FOREIGN KEY (session_id, session_kind) REFERENCES evaluation_sessions (id, kind)
    )
    """,
    """
    CREATE INDEX evaluation_cohorts_under_way
        ON evaluation_cohorts (evaluation_id, id) WHERE status IN ('open', 'running')
    """,
    "CREATE INDEX evaluation_cohorts_open ON evaluation_cohorts (evaluation_id, opened_at, id) WHERE status = 'open'",
    "CREATE INDEX evaluation_cohorts_newest ON evaluation_cohorts (evaluation_id, id)",
    "CREATE INDEX evaluation_cohorts_by_status ON evaluation_cohorts (evaluation_id, status, id)",
    # A participant who leaves keeps the line, with the time of leaving.
    """
    CREATE TABLE evaluation_cohort_members (
        cohort_id TEXT NOT NULL REFERENCES evaluation_cohorts (id),
        registration_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        evaluation_id TEXT NOT NULL,
        joined_at TIMESTAMPTZ NOT NULL,
        left_at TIMESTAMPTZ,
        PRIMARY KEY (cohort_id, registration_id),
        CONSTRAINT evaluation_cohort_members_registration_id_key UNIQUE (registration_id),
        FOREIGN KEY (registration_id, agent_id, evaluation_id)
            REFERENCES evaluation_registrations (id, agent_id, evaluation_id)
    )
    """,
    # What has to be marked by judges or proctors before there is a result: one attempt, or the work of one cohort.
    """
    CREATE TABLE evaluation_sheets (
        id TEXT PRIMARY KEY,
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        registration_id TEXT REFERENCES evaluation_registrations (id),
        cohort_id TEXT REFERENCES evaluation_cohorts (id),
        status TEXT NOT NULL,
        job_id TEXT NOT NULL,
        opened_at TIMESTAMPTZ NOT NULL,
        closed_at TIMESTAMPTZ,
        CONSTRAINT evaluation_sheets_status CHECK (status IN ('judges', 'proctors', 'closed')),
        CONSTRAINT evaluation_sheets_closed CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
        CONSTRAINT evaluation_sheets_subject CHECK ((registration_id IS NULL) <> (cohort_id IS NULL)),
        CONSTRAINT evaluation_sheets_job_id_key UNIQUE (job_id),
        CONSTRAINT evaluation_sheets_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_sheets_cohort_id_key UNIQUE (cohort_id)
    )
    """,
    """
    CREATE INDEX evaluation_sheets_waiting
        ON evaluation_sheets (evaluation_id, opened_at, id) WHERE status = 'proctors'
    """,
    # The same over all evaluations.
    "CREATE INDEX evaluation_sheets_longest_waiting ON evaluation_sheets (opened_at, id) WHERE status = 'proctors'",
    "CREATE INDEX evaluation_sheets_judges ON evaluation_sheets (job_id) WHERE status = 'judges'",
    # One judge's or proctor's going over a sheet.
    """
    CREATE TABLE evaluation_markings (
        sheet_id TEXT NOT NULL REFERENCES evaluation_sheets (id),
        marker TEXT NOT NULL,
        kind TEXT NOT NULL,
        feedback TEXT,
        marked_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT evaluation_markings_sheet_id_marker_key UNIQUE (sheet_id, marker),
        CONSTRAINT evaluation_markings_kind CHECK (kind IN ('judge', 'proctor'))
    )
    """,
    # A mark that is NULL was asked for and not given: the row is unscored by this marker.
    """
    CREATE TABLE evaluation_marks (
        sheet_id TEXT NOT NULL,
        marker TEXT NOT NULL,
        row_id TEXT NOT NULL,
        mark DOUBLE PRECISION,
        most DOUBLE PRECISION NOT NULL,
        reason TEXT NOT NULL,
        quote TEXT NOT NULL,
        notes JSONB NOT NULL,
        PRIMARY KEY (sheet_id, marker, row_id),
        CONSTRAINT evaluation_marks_within CHECK (mark IS NULL OR (mark >= 0 AND mark <= most)),
        FOREIGN KEY (sheet_id, marker) REFERENCES evaluation_markings (sheet_id, marker)
    )
    """,
    "ALTER TABLE evaluation_session_participants ADD left_at TIMESTAMPTZ",
    # An attempt that nobody could judge is no try of the candidate's.
    "ALTER TABLE evaluation_registrations ADD is_try BOOLEAN NOT NULL DEFAULT TRUE",
    "UPDATE evaluation_registrations SET is_try = FALSE WHERE status = 'cancelled'",
    # An agent's tries at an evaluation, which are counted whenever it registers.
    "CREATE INDEX evaluation_registrations_agent ON evaluation_registrations (agent_id, evaluation_id, id)",
)

# The result of class work stands behind the cohort's session, which belongs to no single registration.
OWN_SESSION = "(CASE WHEN cohort_id IS NULL THEN session_id END)"
# SQLite changes a table's constraints only by building it anew.
REBUILD = (
    f"""
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
        cohort_id TEXT REFERENCES evaluation_cohorts (id),
        own_session_id TEXT GENERATED ALWAYS AS {OWN_SESSION} STORED,
        CONSTRAINT evaluation_results_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_results_score CHECK (score IS NULL OR (score >= 0 AND score <= max_score)),
        CONSTRAINT evaluation_results_scored CHECK ((score IS NULL) = (max_score IS NULL)),
        CONSTRAINT evaluation_results_points CHECK (points_earned >= 0 AND (passed OR points_earned = 0)),
        FOREIGN KEY (registration_id, agent_id, evaluation_id)
            REFERENCES evaluation_registrations (id, agent_id, evaluation_id),
        FOREIGN KEY (own_session_id, registration_id) REFERENCES evaluation_sessions (id, registration_id),
        FOREIGN KEY (cohort_id, registration_id) REFERENCES evaluation_cohort_members (cohort_id, registration_id)
    )
    """,
    """
    INSERT INTO new_results (id, registration_id, agent_id, evaluation_id, passed, score, max_score, points_earned,
        result_data, completed_at, proctor_agent_id, proctor_feedback, session_id, evaluation_version, evaluation_digest)
    SELECT id, registration_id, agent_id, evaluation_id, passed, score, max_score, points_earned,
        result_data, completed_at, proctor_agent_id, proctor_feedback, session_id, evaluation_version, evaluation_digest
    FROM evaluation_results
    """,
    "DROP TABLE evaluation_results",
    "ALTER TABLE new_results RENAME TO evaluation_results",
    "CREATE INDEX evaluation_results_newest ON evaluation_results (evaluation_id, completed_at, id)",
    "CREATE INDEX evaluation_results_agent ON evaluation_results (agent_id, completed_at, id)",
    "CREATE INDEX idx_eval_results_eval_version ON evaluation_results (evaluation_id, evaluation_version)",
)
ALTER = (
    "ALTER TABLE evaluation_results DROP CONSTRAINT evaluation_results_session_id_registration_id_fkey",
    "ALTER TABLE evaluation_results ADD cohort_id TEXT REFERENCES evaluation_cohorts (id)",
    f"ALTER TABLE evaluation_results ADD own_session_id TEXT GENERATED ALWAYS AS {OWN_SESSION} STORED",
    """
    ALTER TABLE evaluation_results ADD FOREIGN KEY (own_session_id, registration_id)
        REFERENCES evaluation_sessions (id, registration_id)
    """,
    """
    ALTER TABLE evaluation_results ADD FOREIGN KEY (cohort_id, registration_id)
        REFERENCES evaluation_cohort_members (cohort_id, registration_id)
    """,
)


def upgrade() -> None:
    for statement in (*STATEMENTS, *(REBUILD if op.get_bind().dialect.name == "sqlite" else ALTER)):
        op.execute(statement)
