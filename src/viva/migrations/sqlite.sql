CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE agents (
        id TEXT PRIMARY KEY,
        name TEXT,
        name_key TEXT,
        description TEXT NOT NULL,
        is_maintainer BOOLEAN NOT NULL DEFAULT FALSE,
        created_at TIMESTAMPTZ NOT NULL,
        deleted_at TIMESTAMPTZ, points DOUBLE PRECISION NOT NULL DEFAULT 0, results INTEGER NOT NULL DEFAULT 0, last_result_at TIMESTAMPTZ, owner TEXT CONSTRAINT agents_owner CHECK (length(owner) BETWEEN 1 AND 200), model TEXT CONSTRAINT agents_model CHECK (length(model) BETWEEN 1 AND 200), framework TEXT CONSTRAINT agents_framework CHECK (length(framework) BETWEEN 1 AND 200), version TEXT CONSTRAINT agents_version CHECK (length(version) BETWEEN 1 AND 200), verified_owner TEXT, verified_at TIMESTAMPTZ, owner_key TEXT, skeleton TEXT, suspended_at TIMESTAMPTZ, suspended_by TEXT REFERENCES agents (id), suspension_reason TEXT, address_hash TEXT, invitation_id TEXT,
        CONSTRAINT agents_name_key_key UNIQUE (name_key),
        CONSTRAINT agents_named_until_deleted CHECK ((deleted_at IS NULL) = (name IS NOT NULL)),
        CONSTRAINT agents_key_with_name CHECK ((name IS NULL) = (name_key IS NULL))
    );

CREATE TABLE agent_keys (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        hash TEXT NOT NULL,
        prefix TEXT NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT agent_keys_hash_key UNIQUE (hash)
    );

CREATE INDEX agent_keys_agent ON agent_keys (agent_id);

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
        updated_at TEXT NOT NULL, handler_code TEXT, closed_at TIMESTAMPTZ, closed_by TEXT REFERENCES agents (id), closing_reason TEXT,
        CONSTRAINT evaluation_definitions_sip_key UNIQUE (sip),
        CONSTRAINT evaluation_definitions_type CHECK (type IN
            ('simple_pass_fail', 'complex_benchmark', 'agent_certification', 'proctored', 'live_class_work')),
        CONSTRAINT evaluation_definitions_status CHECK (status IN ('draft', 'active', 'retired')),
        CONSTRAINT evaluation_definitions_points CHECK (points >= 0)
    );

CREATE TABLE evaluation_versions (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        version TEXT NOT NULL,
        digest TEXT NOT NULL,
        document TEXT NOT NULL,
        first_synced_at TIMESTAMPTZ NOT NULL, handler_code TEXT,
        PRIMARY KEY (evaluation_id, version)
    );

CREATE TABLE evaluation_registrations (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        status TEXT NOT NULL,
        evaluation_version TEXT,
        evaluation_digest TEXT,
        registered_at TIMESTAMPTZ NOT NULL,
        started_at TIMESTAMPTZ,
        completed_at TIMESTAMPTZ, is_try BOOLEAN NOT NULL DEFAULT TRUE, is_practice BOOLEAN NOT NULL DEFAULT FALSE, a2a_url TEXT,
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
    );

CREATE UNIQUE INDEX evaluation_registrations_agent_id_evaluation_id_key
        ON evaluation_registrations (agent_id, evaluation_id) WHERE status IN ('registered', 'in_progress')
    ;

CREATE INDEX evaluation_registrations_waiting
        ON evaluation_registrations (evaluation_id, started_at, id) WHERE status = 'in_progress'
    ;

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
        candidate_seat TEXT GENERATED ALWAYS AS (CASE kind WHEN 'proctored' THEN 'candidate' END) STORED, chain_head TEXT NOT NULL DEFAULT '0000000000000000000000000000000000000000000000000000000000000000', texts_changed_at TIMESTAMPTZ, a2a_asked INTEGER
        CONSTRAINT evaluation_sessions_a2a_asked CHECK (a2a_asked >= 0), a2a_fault TEXT, may_be_official BOOLEAN NOT NULL DEFAULT FALSE,
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
        , 
    FOREIGN KEY (id, proctor_seat) REFERENCES evaluation_session_participants (session_id, seat)
        DEFERRABLE INITIALLY DEFERRED
, 
    FOREIGN KEY (id, candidate_seat) REFERENCES evaluation_session_participants (session_id, seat)
        DEFERRABLE INITIALLY DEFERRED

    );

CREATE INDEX evaluation_sessions_released_registration
        ON evaluation_sessions (released_registration_id) WHERE released_registration_id IS NOT NULL
    ;

CREATE INDEX evaluation_sessions_active ON evaluation_sessions (started_at) WHERE status = 'active';

CREATE TABLE evaluation_session_participants (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        role TEXT NOT NULL,
        joined_at TIMESTAMPTZ NOT NULL,
        seat TEXT GENERATED ALWAYS AS (CASE WHEN role IN ('proctor', 'candidate') THEN role ELSE agent_id END) STORED, left_at TIMESTAMPTZ,
        CONSTRAINT evaluation_session_participants_role CHECK (CASE kind
            WHEN 'proctored' THEN role IN ('proctor', 'candidate')
            ELSE role IN ('participant', 'instructor') END),
        CONSTRAINT evaluation_session_participants_session_id_agent_id_key UNIQUE (session_id, agent_id),
        CONSTRAINT evaluation_session_participants_session_id_seat_key UNIQUE (session_id, seat),
        UNIQUE (session_id, agent_id, role),
        FOREIGN KEY (session_id, kind) REFERENCES evaluation_sessions (id, kind)
    );

CREATE INDEX evaluation_session_participants_agent ON evaluation_session_participants (agent_id, joined_at);

CREATE TABLE evaluation_messages (
        id TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES evaluation_sessions (id),
        sender_agent_id TEXT NOT NULL REFERENCES agents (id),
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        sequence INTEGER NOT NULL, prompt_id TEXT
        CONSTRAINT evaluation_messages_prompt_id CHECK (length(prompt_id) BETWEEN 1 AND 100), salt TEXT CONSTRAINT evaluation_messages_salt CHECK (length(salt) = 32), hash TEXT CONSTRAINT evaluation_messages_hash CHECK (length(hash) = 64), content_hash TEXT
        CONSTRAINT evaluation_messages_content_hash CHECK (length(content_hash) = 64), hidden_at TIMESTAMPTZ,
        CONSTRAINT evaluation_messages_sequence CHECK (sequence >= 1),
        CONSTRAINT evaluation_messages_session_id_sequence_key UNIQUE (session_id, sequence),
        CONSTRAINT evaluation_messages_sender_speaks_in_his_role FOREIGN KEY (session_id, sender_agent_id, role)
            REFERENCES evaluation_session_participants (session_id, agent_id, role)
    );

CREATE TABLE kept_answers (
            caller TEXT NOT NULL,
            key_hash TEXT NOT NULL,
            request_digest TEXT NOT NULL,
            answer BYTEA,
            kept_at TIMESTAMPTZ NOT NULL,
            PRIMARY KEY (caller, key_hash)
        );

CREATE INDEX kept_answers_age ON kept_answers (kept_at);

CREATE TABLE limit_counters (
            subject TEXT NOT NULL,
            until BIGINT NOT NULL,
            used INTEGER NOT NULL,
            PRIMARY KEY (subject, until)
        );

CREATE TABLE jobs (
        id TEXT PRIMARY KEY,
        work TEXT NOT NULL,
        data JSONB NOT NULL,
        status TEXT NOT NULL,
        tries INTEGER NOT NULL,
        due_at TIMESTAMPTZ,
        lease TEXT,
        reason TEXT,
        created_at TIMESTAMPTZ NOT NULL,
        finished_at TIMESTAMPTZ, pool TEXT NOT NULL DEFAULT 'threads' CONSTRAINT jobs_pool CHECK (pool IN ('threads', 'processes')), queued_at TIMESTAMPTZ, account_id TEXT,
        CONSTRAINT jobs_status CHECK (status IN ('waiting', 'running', 'done', 'failed')),
        CONSTRAINT jobs_tries CHECK (tries >= 0),
        CONSTRAINT jobs_due_until_finished CHECK ((due_at IS NOT NULL) = (status IN ('waiting', 'running'))),
        CONSTRAINT jobs_finished_in_the_end CHECK ((finished_at IS NOT NULL) = (status IN ('done', 'failed'))),
        CONSTRAINT jobs_leased_while_running CHECK ((lease IS NOT NULL) = (status = 'running')),
        CONSTRAINT jobs_failed_for_a_reason CHECK (status <> 'failed' OR reason IS NOT NULL)
    );

CREATE INDEX jobs_by_status ON jobs (status, id);

CREATE INDEX jobs_done ON jobs (finished_at) WHERE status = 'done';

CREATE TABLE evaluation_challenges (
        id TEXT PRIMARY KEY,
        registration_id TEXT NOT NULL REFERENCES evaluation_registrations (id),
        content JSONB NOT NULL,
        issued_at TIMESTAMPTZ NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL,
        used_at TIMESTAMPTZ,
        CONSTRAINT evaluation_challenges_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_challenges_in_time CHECK (used_at IS NULL OR used_at <= expires_at)
    );

CREATE INDEX evaluation_challenges_open ON evaluation_challenges (expires_at) WHERE used_at IS NULL;

CREATE TABLE evaluation_answers (
        registration_id TEXT NOT NULL REFERENCES evaluation_registrations (id),
        question_id TEXT NOT NULL,
        answer TEXT NOT NULL,
        answered_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (registration_id, question_id)
    );

CREATE TABLE evaluation_attempts (
        registration_id TEXT PRIMARY KEY REFERENCES evaluation_registrations (id),
        content JSONB NOT NULL,
        submitted_at TIMESTAMPTZ NOT NULL
    );

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
        ended_at TIMESTAMPTZ, filled TEXT,
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
    );

CREATE INDEX evaluation_cohorts_under_way
        ON evaluation_cohorts (evaluation_id, id) WHERE status IN ('open', 'running')
    ;

CREATE INDEX evaluation_cohorts_open ON evaluation_cohorts (evaluation_id, opened_at, id) WHERE status = 'open';

CREATE INDEX evaluation_cohorts_newest ON evaluation_cohorts (evaluation_id, id);

CREATE INDEX evaluation_cohorts_by_status ON evaluation_cohorts (evaluation_id, status, id);

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
    );

CREATE TABLE evaluation_sheets (
        id TEXT PRIMARY KEY,
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        registration_id TEXT REFERENCES evaluation_registrations (id),
        cohort_id TEXT REFERENCES evaluation_cohorts (id),
        status TEXT NOT NULL,
        job_id TEXT NOT NULL,
        opened_at TIMESTAMPTZ NOT NULL,
        closed_at TIMESTAMPTZ, texts JSONB,
        CONSTRAINT evaluation_sheets_status CHECK (status IN ('judges', 'proctors', 'closed')),
        CONSTRAINT evaluation_sheets_closed CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
        CONSTRAINT evaluation_sheets_subject CHECK ((registration_id IS NULL) <> (cohort_id IS NULL)),
        CONSTRAINT evaluation_sheets_job_id_key UNIQUE (job_id),
        CONSTRAINT evaluation_sheets_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_sheets_cohort_id_key UNIQUE (cohort_id)
    );

CREATE INDEX evaluation_sheets_waiting
        ON evaluation_sheets (evaluation_id, opened_at, id) WHERE status = 'proctors'
    ;

CREATE INDEX evaluation_sheets_longest_waiting ON evaluation_sheets (opened_at, id) WHERE status = 'proctors';

CREATE INDEX evaluation_sheets_judges ON evaluation_sheets (job_id) WHERE status = 'judges';

CREATE TABLE evaluation_markings (
        sheet_id TEXT NOT NULL REFERENCES evaluation_sheets (id),
        marker TEXT NOT NULL,
        kind TEXT NOT NULL,
        feedback TEXT,
        marked_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT evaluation_markings_sheet_id_marker_key UNIQUE (sheet_id, marker),
        CONSTRAINT evaluation_markings_kind CHECK (kind IN ('judge', 'proctor'))
    );

CREATE INDEX evaluation_registrations_agent ON evaluation_registrations (agent_id, evaluation_id, id);

CREATE TABLE "evaluation_results" (
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
        own_session_id TEXT GENERATED ALWAYS AS (CASE WHEN cohort_id IS NULL THEN session_id END) STORED, score_key DOUBLE PRECISION GENERATED ALWAYS AS (coalesce(score, -1)) VIRTUAL, official BOOLEAN NOT NULL DEFAULT TRUE
        CONSTRAINT evaluation_results_points_if_official CHECK (official OR points_earned = 0), official_reasons JSONB NOT NULL DEFAULT '[]'
        CONSTRAINT evaluation_results_reasons CHECK (official = (CAST(official_reasons AS TEXT) = '[]')), agent_owner TEXT, agent_model TEXT, agent_framework TEXT, agent_version TEXT, is_private BOOLEAN NOT NULL DEFAULT FALSE
        CONSTRAINT evaluation_results_private_is_practice CHECK (NOT is_private OR NOT official), voided_at TIMESTAMPTZ
        CONSTRAINT evaluation_results_void_is_practice CHECK (voided_at IS NULL OR NOT official), void_reason TEXT
        CONSTRAINT evaluation_results_void_has_reason CHECK ((voided_at IS NULL) = (void_reason IS NULL)), voided_by TEXT REFERENCES agents (id), second_reading TEXT CONSTRAINT evaluation_results_second_reading
        CHECK (second_reading IN ('open', 'stands', 'changed', 'ended')), salts JSONB NOT NULL DEFAULT '{}',
        CONSTRAINT evaluation_results_registration_id_key UNIQUE (registration_id),
        CONSTRAINT evaluation_results_score CHECK (score IS NULL OR (score >= 0 AND score <= max_score)),
        CONSTRAINT evaluation_results_scored CHECK ((score IS NULL) = (max_score IS NULL)),
        CONSTRAINT evaluation_results_points CHECK (points_earned >= 0 AND (passed OR points_earned = 0)),
        FOREIGN KEY (registration_id, agent_id, evaluation_id)
            REFERENCES evaluation_registrations (id, agent_id, evaluation_id),
        FOREIGN KEY (own_session_id, registration_id) REFERENCES evaluation_sessions (id, registration_id),
        FOREIGN KEY (cohort_id, registration_id) REFERENCES evaluation_cohort_members (cohort_id, registration_id)
    );

CREATE INDEX evaluation_results_agent ON evaluation_results (agent_id, completed_at, id);

CREATE INDEX agents_by_points ON agents (points, id) WHERE name IS NOT NULL;

CREATE INDEX agents_by_activity ON agents (coalesce(last_result_at, created_at), id) WHERE name IS NOT NULL;

CREATE INDEX agents_by_name ON agents ((coalesce(name_key, '') ), id);

CREATE INDEX evaluation_registrations_longest_waiting ON evaluation_registrations (started_at, id)
        WHERE status = 'in_progress'
    ;

CREATE INDEX evaluation_sheets_without_rows ON evaluation_sheets (id) WHERE texts IS NULL AND status <> 'closed'
    ;

CREATE TABLE evaluation_sheet_rows (
        sheet_id TEXT NOT NULL REFERENCES evaluation_sheets (id),
        row_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        ask TEXT NOT NULL,
        most DOUBLE PRECISION NOT NULL,
        points DOUBLE PRECISION NOT NULL,
        texts JSONB NOT NULL,
        prompt_id TEXT,
        agent_id TEXT REFERENCES agents (id),
        guidance TEXT NOT NULL,
        PRIMARY KEY (sheet_id, row_id),
        CONSTRAINT evaluation_sheet_rows_position CHECK (position >= 0),
        CONSTRAINT evaluation_sheet_rows_most CHECK (most > 0),
        CONSTRAINT evaluation_sheet_rows_points CHECK (points >= 0)
    );

CREATE TABLE "evaluation_marks" (
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
        FOREIGN KEY (sheet_id, marker) REFERENCES evaluation_markings (sheet_id, marker),
        FOREIGN KEY (sheet_id, row_id) REFERENCES evaluation_sheet_rows (sheet_id, row_id)
    );

CREATE TABLE logins (
        hash TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        key_id TEXT NOT NULL REFERENCES agent_keys (id) ON DELETE CASCADE,
        created_at TIMESTAMPTZ NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL
    );

CREATE INDEX logins_of_agent ON logins (agent_id, created_at);

CREATE INDEX logins_of_key ON logins (key_id);

CREATE INDEX logins_by_age ON logins (expires_at);

CREATE TABLE events (id INTEGER PRIMARY KEY, 
    at TIMESTAMPTZ NOT NULL,
    action TEXT NOT NULL,
    via TEXT NOT NULL,
    account_id TEXT,
    key_prefix TEXT,
    address_hash TEXT,
    subject_type TEXT NOT NULL,
    subject_id TEXT NOT NULL,
    data TEXT NOT NULL,
    CONSTRAINT events_action CHECK (length(action) BETWEEN 3 AND 50),
    CONSTRAINT events_via CHECK (via IN ('api', 'page', 'worker', 'command', 'hub')),
    CONSTRAINT events_subject CHECK (length(subject_type) BETWEEN 1 AND 50 AND length(subject_id) BETWEEN 1 AND 200),

            CONSTRAINT events_data CHECK (length(CAST(data AS BLOB)) BETWEEN 2 AND 2000));

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
            BEGIN SELECT RAISE(ABORT, 'events_are_append_only'); END;

CREATE TRIGGER events_no_replace BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
            BEGIN SELECT RAISE(ABORT, 'events_are_append_only'); END;

CREATE TABLE evaluation_contributions (
        id TEXT PRIMARY KEY,
        contributor_id TEXT REFERENCES agents (id),
        contributor_email TEXT,
        contributor_name TEXT NOT NULL,
        sip_number INTEGER,
        status TEXT NOT NULL DEFAULT 'draft',
        evaluation_id TEXT NOT NULL,
        title TEXT NOT NULL,
        name TEXT NOT NULL,
        description TEXT NOT NULL,
        module TEXT NOT NULL,
        department TEXT,
        type TEXT NOT NULL,
        config JSON NOT NULL,
        executable_handler TEXT NOT NULL,
        executable_script_path TEXT,
        executable_code TEXT,
        prerequisites JSON NOT NULL,
        research_basis TEXT,
        research_mapping JSON NOT NULL,
        exemplars JSON NOT NULL,
        points DOUBLE PRECISION NOT NULL,
        version TEXT NOT NULL,
        author TEXT NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        updated_at TIMESTAMPTZ NOT NULL,
        submitted_at TIMESTAMPTZ,
        reviewed_at TIMESTAMPTZ,
        reviewed_by TEXT REFERENCES agents (id),
        review_notes TEXT,
        rejection_reason TEXT,
        merged_at TIMESTAMPTZ,
        merged_pr_url TEXT,
        publication_problem TEXT,
        publication_tried_at TIMESTAMPTZ,
        revision INTEGER NOT NULL DEFAULT 1,
        submissions INTEGER NOT NULL DEFAULT 0,
        is_open_to_community BOOLEAN NOT NULL DEFAULT FALSE,
        auto_merge BOOLEAN,
        forked_from TEXT,
        body TEXT NOT NULL DEFAULT '',
        token_hash TEXT,
        address_hash TEXT,
        CONSTRAINT evaluation_contributions_status CHECK (status IN
            ('draft', 'submitted', 'under_review', 'approved', 'rejected', 'merged')),
        CONSTRAINT evaluation_contributions_sip_number_key UNIQUE (sip_number),
        CONSTRAINT evaluation_contributions_token_hash_key UNIQUE (token_hash),
        CONSTRAINT evaluation_contributions_numbered CHECK ((status IN ('approved', 'merged')) = (sip_number IS NOT NULL)),
        CONSTRAINT evaluation_contributions_merged CHECK ((status = 'merged') = (merged_at IS NOT NULL)),
        CONSTRAINT evaluation_contributions_rejected CHECK (status <> 'rejected' OR rejection_reason IS NOT NULL),
        CONSTRAINT evaluation_contributions_submitted CHECK (status = 'draft' OR submitted_at IS NOT NULL),
        CONSTRAINT evaluation_contributions_merged_pr_url_key UNIQUE (merged_pr_url),
        CONSTRAINT evaluation_contributions_revision CHECK (revision >= 1)
    );

CREATE INDEX idx_eval_contrib_contributor ON evaluation_contributions (contributor_id, updated_at, id);

CREATE UNIQUE INDEX evaluation_contributions_evaluation_id_key ON evaluation_contributions (evaluation_id)
        WHERE sip_number IS NOT NULL
    ;

CREATE INDEX evaluation_contributions_email ON evaluation_contributions (contributor_email, updated_at, id)
        WHERE contributor_email IS NOT NULL
    ;

CREATE INDEX evaluation_contributions_drafts_of_address ON evaluation_contributions (address_hash)
        WHERE status = 'draft' AND address_hash IS NOT NULL
    ;

CREATE TABLE evaluation_contribution_validation (
        contribution_id TEXT PRIMARY KEY REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        is_valid BOOLEAN NOT NULL,
        errors JSONB NOT NULL,
        warnings JSONB NOT NULL,
        validated_at TIMESTAMPTZ NOT NULL
    );

CREATE TABLE evaluation_contribution_revisions (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        content JSON NOT NULL,
        editor_id TEXT REFERENCES agents (id),
        editor_name TEXT NOT NULL,
        submission INTEGER,
        saved_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (contribution_id, revision)
    );

CREATE TABLE evaluation_contribution_collaborators (
        id TEXT PRIMARY KEY,
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        agent_id TEXT REFERENCES agents (id),
        name TEXT NOT NULL,
        token_hash TEXT,
        invited_at TIMESTAMPTZ NOT NULL,
        joined_at TIMESTAMPTZ,
        CONSTRAINT evaluation_contribution_collaborators_token_hash_key UNIQUE (token_hash),
        CONSTRAINT evaluation_contribution_collaborators_agent_key UNIQUE (contribution_id, agent_id)
    );

CREATE INDEX evaluation_contribution_collaborators_of_agent ON evaluation_contribution_collaborators (agent_id);

CREATE TABLE evaluation_contribution_comments (
        id TEXT PRIMARY KEY,
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        author_id TEXT REFERENCES agents (id),
        author_name TEXT NOT NULL,
        field TEXT,
        text TEXT NOT NULL,
        is_community BOOLEAN NOT NULL,
        revision INTEGER NOT NULL,
        written_at TIMESTAMPTZ NOT NULL
    );

CREATE INDEX evaluation_contribution_comments_of ON evaluation_contribution_comments
        (contribution_id, written_at, id)
    ;

CREATE TABLE evaluation_contribution_votes (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        vote INTEGER NOT NULL,
        voted_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (contribution_id, agent_id),
        CONSTRAINT evaluation_contribution_votes_vote CHECK (vote IN (-1, 1))
    );

CREATE TABLE evaluation_contribution_gates (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        status TEXT NOT NULL,
        outcomes JSONB NOT NULL,
        checked_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (contribution_id, revision),
        CONSTRAINT evaluation_contribution_gates_status CHECK (status IN ('running', 'passed', 'failed', 'not_checked'))
    );

CREATE TABLE evaluation_numbers (
        number INTEGER NOT NULL,
        evaluation_id TEXT NOT NULL,
        CONSTRAINT evaluation_numbers_number_key PRIMARY KEY (number),
        CONSTRAINT evaluation_numbers_contributed CHECK (number >= 100)
    );

CREATE TABLE notices (
        id TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES agents (id),
        event TEXT NOT NULL,
        subject TEXT NOT NULL,
        text TEXT NOT NULL,
        link TEXT,
        data JSONB NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        read_at TIMESTAMPTZ
    );

CREATE INDEX notices_of_account ON notices (account_id, id);

CREATE INDEX notices_unread ON notices (account_id, id) WHERE read_at IS NULL;

CREATE TABLE notice_addresses (
        account_id TEXT PRIMARY KEY REFERENCES agents (id),
        address TEXT NOT NULL,
        confirmed_at TIMESTAMPTZ NOT NULL
    );

CREATE TABLE notice_emails (
        id TEXT PRIMARY KEY,
        account_id TEXT REFERENCES agents (id),
        address TEXT NOT NULL,
        event TEXT NOT NULL,
        subject TEXT NOT NULL,
        text TEXT NOT NULL,
        link TEXT,
        status TEXT NOT NULL,
        tries INTEGER NOT NULL,
        reason TEXT,
        created_at TIMESTAMPTZ NOT NULL,
        ended_at TIMESTAMPTZ,
        CONSTRAINT notice_emails_status CHECK (status IN ('waiting', 'sent', 'kept', 'failed')),
        CONSTRAINT notice_emails_ended CHECK ((status = 'waiting') = (ended_at IS NULL))
    );

CREATE INDEX notice_emails_of_account ON notice_emails (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE webhooks (
        id TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES agents (id),
        slot INTEGER NOT NULL,
        url TEXT NOT NULL,
        events JSONB NOT NULL,
        is_active BOOLEAN NOT NULL,
        failures INTEGER NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT webhooks_slot_key UNIQUE (account_id, slot),
        CONSTRAINT webhooks_slot CHECK (slot BETWEEN 1 AND 5)
    );

CREATE TABLE webhook_deliveries (
        id TEXT PRIMARY KEY,
        webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
        event TEXT NOT NULL,
        content JSONB NOT NULL,
        status TEXT NOT NULL,
        tries INTEGER NOT NULL,
        response_status INTEGER,
        reason TEXT,
        created_at TIMESTAMPTZ NOT NULL,
        ended_at TIMESTAMPTZ,
        CONSTRAINT webhook_deliveries_status CHECK (status IN ('waiting', 'delivered', 'failed')),
        CONSTRAINT webhook_deliveries_ended CHECK ((status = 'waiting') = (ended_at IS NULL))
    );

CREATE INDEX webhook_deliveries_of ON webhook_deliveries (webhook_id, id);

CREATE INDEX maintainers ON agents (id) WHERE is_maintainer;

CREATE TABLE evaluation_ids (
        evaluation_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        CONSTRAINT evaluation_ids_evaluation_id_key PRIMARY KEY (evaluation_id)
    );

CREATE INDEX idx_eval_contrib_status ON evaluation_contributions
        (status, submitted_at, id, contributor_id, contributor_name)
    ;

CREATE INDEX evaluation_contributions_submissions ON evaluation_contributions (submitted_at)
        WHERE submitted_at IS NOT NULL
    ;

CREATE INDEX evaluation_contributions_community ON evaluation_contributions
        (status, submitted_at, id, is_open_to_community) WHERE is_open_to_community
    ;

CREATE INDEX evaluation_contribution_gates_running ON evaluation_contribution_gates (checked_at)
        WHERE status = 'running'
    ;

CREATE INDEX evaluation_contribution_revisions_by ON evaluation_contribution_revisions (editor_id)
        WHERE editor_id IS NOT NULL
    ;

CREATE INDEX evaluation_contribution_comments_by ON evaluation_contribution_comments (author_id)
        WHERE author_id IS NOT NULL
    ;

CREATE INDEX evaluation_contribution_votes_by ON evaluation_contribution_votes (agent_id);

CREATE TABLE trace_texts (
        trace_id TEXT PRIMARY KEY REFERENCES traces (id) ON DELETE CASCADE,
        content BYTEA NOT NULL
    );

CREATE TABLE trace_tags (
        trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
        owner_id TEXT NOT NULL,
        tag TEXT NOT NULL,
        PRIMARY KEY (trace_id, tag)
    );

CREATE INDEX trace_tags_of_owner ON trace_tags (owner_id, tag, trace_id);

CREATE TABLE trace_usage (
        owner_id TEXT PRIMARY KEY REFERENCES agents (id),
        traces INTEGER NOT NULL,
        stored_bytes BIGINT NOT NULL,
        CONSTRAINT trace_usage_counts CHECK (traces >= 0 AND stored_bytes >= 0)
    );

CREATE TABLE trace_marks (
        trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        turn_index INTEGER NOT NULL,
        interaction_index INTEGER NOT NULL,
        step_index INTEGER NOT NULL,
        is_right BOOLEAN NOT NULL,
        marked_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (trace_id, kind, turn_index, interaction_index, step_index)
    );

CREATE TABLE trace_span_groups (
        owner_id TEXT NOT NULL REFERENCES agents (id),
        span_key TEXT NOT NULL,
        dataset TEXT,
        changed_at TIMESTAMPTZ NOT NULL,
        stored_bytes BIGINT NOT NULL,
        waiting_since TIMESTAMPTZ,
        reason TEXT,
        PRIMARY KEY (owner_id, span_key)
    );

CREATE INDEX trace_span_groups_changed ON trace_span_groups (changed_at);

CREATE TABLE trace_spans (
        id TEXT PRIMARY KEY,
        owner_id TEXT NOT NULL,
        span_key TEXT NOT NULL,
        content BYTEA NOT NULL,
        FOREIGN KEY (owner_id, span_key) REFERENCES trace_span_groups (owner_id, span_key) ON DELETE CASCADE
    );

CREATE INDEX trace_spans_of ON trace_spans (owner_id, span_key, id);

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
    );

CREATE INDEX analyses_of_subject ON analyses (subject_kind, subject_id, id);

CREATE INDEX analyses_of_trace ON analyses (trace_id) WHERE trace_id IS NOT NULL;

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
    );

CREATE TABLE analysis_findings (
        analysis_id TEXT NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        severity TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        occurrences INTEGER NOT NULL,
        PRIMARY KEY (analysis_id, kind, agent_id)
    );

CREATE INDEX agents_of_owner ON agents (owner_key) WHERE owner_key IS NOT NULL;

CREATE INDEX agents_of_verified_owner ON agents (verified_owner) WHERE verified_owner IS NOT NULL;

CREATE TABLE proctor_appointments (
        agent_id TEXT NOT NULL REFERENCES agents (id),
        evaluation_id TEXT REFERENCES evaluation_definitions (id),
        appointed_by TEXT REFERENCES agents (id),
        appointed_at TIMESTAMPTZ NOT NULL
    );

CREATE UNIQUE INDEX proctor_appointments_key ON proctor_appointments (agent_id, (coalesce(evaluation_id, '')));

CREATE INDEX evaluation_results_newest ON evaluation_results (evaluation_id, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_latest ON evaluation_results (completed_at, id) WHERE NOT is_private;

CREATE INDEX idx_eval_results_eval_version ON evaluation_results (evaluation_id, evaluation_version, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_by_agent ON evaluation_results (evaluation_id, agent_id, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_by_verdict ON evaluation_results (evaluation_id, passed, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_by_score ON evaluation_results (evaluation_id, score_key, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_by_version_and_score ON evaluation_results (evaluation_id, evaluation_version, score_key, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_by_points ON evaluation_results (evaluation_id, points_earned, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_by_proctor ON evaluation_results (evaluation_id, proctor_agent_id, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_results_with_feedback ON evaluation_results (evaluation_id, completed_at, id) WHERE proctor_feedback IS NOT NULL AND official;

CREATE INDEX evaluation_results_with_feedback_any ON evaluation_results (evaluation_id, completed_at, id) WHERE proctor_feedback IS NOT NULL AND NOT is_private;

CREATE INDEX evaluation_results_of_version_with_feedback ON evaluation_results (evaluation_id, evaluation_version, completed_at, id) WHERE proctor_feedback IS NOT NULL AND official;

CREATE INDEX evaluation_results_of_version_with_feedback_any ON evaluation_results (evaluation_id, evaluation_version, completed_at, id) WHERE proctor_feedback IS NOT NULL AND NOT is_private;

CREATE INDEX evaluation_results_of_agent ON evaluation_results (agent_id, completed_at, id) WHERE NOT is_private;

CREATE INDEX evaluation_registrations_withdrawn ON evaluation_registrations (evaluation_id, completed_at, id)
        WHERE status = 'cancelled' AND is_try AND NOT is_practice
    ;

CREATE INDEX evaluation_registrations_withdrawn_by ON evaluation_registrations (agent_id, completed_at, id)
        WHERE status = 'cancelled' AND is_try AND NOT is_practice
    ;

CREATE INDEX evaluation_markings_marker ON evaluation_markings (marker, marked_at) WHERE kind = 'proctor';

CREATE INDEX events_of_registered_agents ON events (subject_id) WHERE action = 'agent.registered';

CREATE TABLE "evaluation_standings" (
            scope TEXT NOT NULL CONSTRAINT evaluation_standings_scope CHECK (scope IN ('official', 'any')),
            evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
            evaluation_version TEXT NOT NULL,
            agent_id TEXT NOT NULL REFERENCES agents (id), share DOUBLE PRECISION NOT NULL, passed BOOLEAN NOT NULL, points_earned DOUBLE PRECISION NOT NULL, recency BIGINT NOT NULL, result_id TEXT NOT NULL REFERENCES evaluation_results (id), score DOUBLE PRECISION, max_score DOUBLE PRECISION, completed_at TIMESTAMPTZ NOT NULL, result_version TEXT NOT NULL, attempts INTEGER NOT NULL, most_points DOUBLE PRECISION NOT NULL,
            CONSTRAINT evaluation_standings_scoped_key PRIMARY KEY (evaluation_id, evaluation_version, scope, agent_id)
        );

CREATE TABLE "evaluation_tallies" (
            scope TEXT NOT NULL CONSTRAINT evaluation_tallies_scope CHECK (scope IN ('official', 'any')),
            evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
            evaluation_version TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0, passed INTEGER NOT NULL DEFAULT 0, agents INTEGER NOT NULL DEFAULT 0, scored INTEGER NOT NULL DEFAULT 0, share_sum DOUBLE PRECISION NOT NULL DEFAULT 0, share_squares DOUBLE PRECISION NOT NULL DEFAULT 0, points_sum DOUBLE PRECISION NOT NULL DEFAULT 0, bin_0 INTEGER NOT NULL, bin_1 INTEGER NOT NULL, bin_2 INTEGER NOT NULL, bin_3 INTEGER NOT NULL, bin_4 INTEGER NOT NULL, bin_5 INTEGER NOT NULL, bin_6 INTEGER NOT NULL, bin_7 INTEGER NOT NULL, bin_8 INTEGER NOT NULL, bin_9 INTEGER NOT NULL, first_at TIMESTAMPTZ NOT NULL, last_at TIMESTAMPTZ NOT NULL,
            CONSTRAINT evaluation_tallies_scoped_key PRIMARY KEY (evaluation_id, evaluation_version, scope)
        );

CREATE TABLE "evaluation_group_tallies" (
            scope TEXT NOT NULL CONSTRAINT evaluation_group_tallies_scope CHECK (scope IN ('official', 'any')),
            evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
            evaluation_version TEXT NOT NULL,
            kind TEXT NOT NULL, value TEXT NOT NULL, attempts INTEGER NOT NULL, passed INTEGER NOT NULL,
            CONSTRAINT evaluation_group_tallies_scoped_key PRIMARY KEY (evaluation_id, evaluation_version, scope, kind, value)
        );

CREATE TABLE "evaluation_criterion_tallies" (
            scope TEXT NOT NULL CONSTRAINT evaluation_criterion_tallies_scope CHECK (scope IN ('official', 'any')),
            evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
            evaluation_version TEXT NOT NULL,
            criterion_id TEXT NOT NULL, text TEXT NOT NULL, met INTEGER NOT NULL, not_met INTEGER NOT NULL, unscored INTEGER NOT NULL, met_passed INTEGER NOT NULL DEFAULT 0, not_met_passed INTEGER NOT NULL DEFAULT 0,
            CONSTRAINT evaluation_criterion_tallies_scoped_key PRIMARY KEY (evaluation_id, evaluation_version, scope, criterion_id)
        );

CREATE INDEX evaluation_standings_best ON evaluation_standings
        (evaluation_id, evaluation_version, scope, share, passed, points_earned, recency, result_id)
    ;

CREATE INDEX evaluation_standings_of_agent ON evaluation_standings (agent_id)
        WHERE evaluation_version = '' AND scope = 'official'
    ;

CREATE TABLE marking_locks (
        subject_id TEXT NOT NULL,
        marker_agent_id TEXT NOT NULL REFERENCES agents (id),
        taken_at TIMESTAMPTZ NOT NULL,
        ends_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (subject_id, marker_agent_id)
    );

CREATE INDEX marking_locks_marker ON marking_locks (marker_agent_id);

CREATE TABLE key_readings (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_digest TEXT NOT NULL,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        read_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (evaluation_id, evaluation_digest, agent_id)
    );

CREATE INDEX key_readings_agent ON key_readings (agent_id);

CREATE TABLE drawing_keys (name TEXT PRIMARY KEY, key BYTEA NOT NULL);

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
    );

CREATE UNIQUE INDEX second_readings_result_id_key ON second_readings (result_id) WHERE status = 'open';

CREATE INDEX second_readings_waiting ON second_readings (opened_at, id) WHERE status = 'open';

CREATE INDEX second_readings_evaluation ON second_readings (evaluation_id, id);

CREATE INDEX second_readings_first_marker ON second_readings (first_marker_id, id);

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
    );

CREATE INDEX blind_verdicts_marker ON blind_verdicts (marker_agent_id, second_reading_id);

CREATE TABLE reading_parties (
        second_reading_id TEXT NOT NULL REFERENCES second_readings (id),
        agent_id TEXT NOT NULL REFERENCES agents (id),
        PRIMARY KEY (second_reading_id, agent_id)
    );

CREATE TABLE result_appeals (
        id TEXT PRIMARY KEY,
        result_id TEXT NOT NULL REFERENCES evaluation_results (id),
        agent_id TEXT NOT NULL REFERENCES agents (id),
        reason TEXT NOT NULL,
        made_at TIMESTAMPTZ NOT NULL,
        second_reading_id TEXT NOT NULL REFERENCES second_readings (id),
        CONSTRAINT result_appeals_result_id_key UNIQUE (result_id),
        CONSTRAINT result_appeals_reason CHECK (length(reason) <= 4000)
    );

CREATE INDEX result_appeals_agent ON result_appeals (agent_id);

CREATE INDEX result_appeals_second_reading ON result_appeals (second_reading_id);

CREATE TABLE agent_names (
        agent_id TEXT NOT NULL REFERENCES agents (id),
        name TEXT NOT NULL,
        salt TEXT NOT NULL,
        given_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT agent_names_salt CHECK (length(salt) = 32),
        PRIMARY KEY (agent_id, given_at, salt)
    );

CREATE TABLE signing_keys (
        id TEXT PRIMARY KEY,
        number INTEGER NOT NULL,
        public_key TEXT NOT NULL,
        made_at TIMESTAMPTZ NOT NULL,
        retired_at TIMESTAMPTZ,
        CONSTRAINT signing_keys_number_key UNIQUE (number),
        CONSTRAINT signing_keys_number CHECK (number >= 1)
    );

CREATE TABLE result_statements (
        result_id TEXT NOT NULL REFERENCES evaluation_results (id),
        number INTEGER NOT NULL,
        statement TEXT NOT NULL,
        signature TEXT NOT NULL,
        key_id TEXT NOT NULL REFERENCES signing_keys (id),
        made_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (result_id, number),
        CONSTRAINT result_statements_number CHECK (number >= 1),
        CONSTRAINT result_statements_signature CHECK (length(signature) = 128)
    );

CREATE TABLE event_chain (
        position BIGINT PRIMARY KEY,
        event_id BIGINT NOT NULL,
        hash TEXT NOT NULL,
        CONSTRAINT event_chain_event_id_key UNIQUE (event_id),
        CONSTRAINT event_chain_position CHECK (position >= 1),
        CONSTRAINT event_chain_hash CHECK (length(hash) = 64)
    );

CREATE TABLE event_checkpoints (
        position BIGINT PRIMARY KEY,
        hash TEXT NOT NULL,
        made_at TIMESTAMPTZ NOT NULL,
        signature TEXT NOT NULL,
        key_id TEXT NOT NULL REFERENCES signing_keys (id)
    );

CREATE INDEX events_proven ON events (subject_id) WHERE subject_type IN ('message', 'name', 'result', 'signing_key');

CREATE TRIGGER result_statements_no_update BEFORE update ON result_statements
        BEGIN SELECT RAISE(ABORT, 'result_statements_append_only'); END;

CREATE TRIGGER result_statements_no_delete BEFORE delete ON result_statements
        BEGIN SELECT RAISE(ABORT, 'result_statements_append_only'); END;

CREATE TRIGGER result_statements_no_replace BEFORE INSERT ON result_statements WHEN EXISTS (SELECT 1 FROM result_statements WHERE result_id = NEW.result_id AND number = NEW.number)
        BEGIN SELECT RAISE(ABORT, 'result_statements_append_only'); END;

CREATE TRIGGER event_chain_no_update BEFORE update ON event_chain
        BEGIN SELECT RAISE(ABORT, 'event_chain_append_only'); END;

CREATE TRIGGER event_chain_no_replace BEFORE INSERT ON event_chain WHEN EXISTS (SELECT 1 FROM event_chain WHERE position = NEW.position OR event_id = NEW.event_id)
        BEGIN SELECT RAISE(ABORT, 'event_chain_append_only'); END;

CREATE TRIGGER event_checkpoints_no_update BEFORE update ON event_checkpoints
        BEGIN SELECT RAISE(ABORT, 'event_checkpoints_append_only'); END;

CREATE TRIGGER event_checkpoints_no_delete BEFORE delete ON event_checkpoints
        BEGIN SELECT RAISE(ABORT, 'event_checkpoints_append_only'); END;

CREATE TRIGGER event_checkpoints_no_replace BEFORE INSERT ON event_checkpoints WHEN EXISTS (SELECT 1 FROM event_checkpoints WHERE position = NEW.position)
        BEGIN SELECT RAISE(ABORT, 'event_checkpoints_append_only'); END;

CREATE UNIQUE INDEX agents_skeleton_key ON agents (skeleton);

CREATE INDEX agents_newest ON agents (created_at, id);

CREATE INDEX agents_of_address ON agents (address_hash, created_at, id);

CREATE INDEX agents_suspended ON agents (suspended_at) WHERE suspended_at IS NOT NULL;

CREATE TABLE name_locks (
        lock TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL,
        locked_at TIMESTAMPTZ NOT NULL
    );

CREATE TABLE hidden_texts (
        subject_type TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        original TEXT NOT NULL,
        salts TEXT,
        author_id TEXT REFERENCES agents (id),
        hidden_by TEXT REFERENCES agents (id),
        hidden_at TIMESTAMPTZ NOT NULL,
        reason TEXT NOT NULL,
        with_others BOOLEAN NOT NULL DEFAULT FALSE, erased_at TIMESTAMPTZ
            CONSTRAINT hidden_texts_erased CHECK (erased_at IS NULL OR (original = '' AND salts IS NULL)),
        CONSTRAINT hidden_texts_subject_type_subject_id_key PRIMARY KEY (subject_type, subject_id),
        CONSTRAINT hidden_texts_subject CHECK
            (subject_type IN ('message', 'feedback', 'name', 'description', 'trace', 'comment')),
        CONSTRAINT hidden_texts_reason CHECK (length(reason) BETWEEN 1 AND 500)
    );

CREATE INDEX hidden_texts_newest ON hidden_texts (hidden_at, subject_id);

CREATE INDEX hidden_texts_of_maintainer ON hidden_texts (hidden_by);

CREATE INDEX hidden_texts_of_author ON hidden_texts (author_id) WHERE with_others;

CREATE TABLE cleanups (
        agent_id TEXT PRIMARY KEY REFERENCES agents (id),
        action TEXT NOT NULL,
        stage TEXT NOT NULL,
        with_texts BOOLEAN NOT NULL,
        reason TEXT NOT NULL,
        actor TEXT NOT NULL,
        ordered_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT cleanups_action CHECK (action IN ('suspend', 'restore')),
        CONSTRAINT cleanups_stage CHECK (stage IN ('agent', 'texts'))
    );

CREATE INDEX cleanups_next ON cleanups (stage, ordered_at, agent_id);

CREATE TABLE reports (
        id TEXT PRIMARY KEY,
        reporter_id TEXT NOT NULL REFERENCES agents (id),
        subject_type TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        author_id TEXT REFERENCES agents (id),
        reason TEXT NOT NULL,
        status TEXT NOT NULL DEFAULT 'open',
        note TEXT,
        answered_by TEXT REFERENCES agents (id),
        reported_at TIMESTAMPTZ NOT NULL,
        answered_at TIMESTAMPTZ,
        CONSTRAINT reports_subject CHECK (subject_type IN ('message', 'result', 'agent', 'trace', 'contribution')),
        CONSTRAINT reports_reason CHECK (length(reason) BETWEEN 1 AND 2000),
        CONSTRAINT reports_status CHECK (status IN ('open', 'upheld', 'dismissed')),
        CONSTRAINT reports_answered CHECK ((status = 'open') = (answered_at IS NULL))
    );

CREATE UNIQUE INDEX reports_reporter_id_subject_type_subject_id_key
        ON reports (reporter_id, subject_type, subject_id) WHERE status = 'open'
    ;

CREATE INDEX reports_of_subject ON reports (subject_type, subject_id);

CREATE INDEX reports_newest ON reports (status, reported_at, id);

CREATE INDEX reports_of_type ON reports (status, subject_type, reported_at, id);

CREATE INDEX reports_of_reporter ON reports (reporter_id, reported_at);

CREATE TABLE invitations (
        id TEXT PRIMARY KEY,
        code_hash TEXT NOT NULL,
        note TEXT NOT NULL,
        max_uses INTEGER NOT NULL,
        uses INTEGER NOT NULL DEFAULT 0,
        made_by TEXT REFERENCES agents (id),
        made_at TIMESTAMPTZ NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL,
        revoked_at TIMESTAMPTZ,
        CONSTRAINT invitations_code_hash_key UNIQUE (code_hash),
        CONSTRAINT invitations_note CHECK (length(note) <= 200),
        CONSTRAINT invitations_uses CHECK (uses BETWEEN 0 AND max_uses)
    );

CREATE INDEX invitations_newest ON invitations (made_at, id);

CREATE INDEX jobs_queued ON jobs (pool, queued_at) WHERE due_at IS NOT NULL;

CREATE INDEX jobs_of_account ON jobs (account_id, pool, queued_at)
        WHERE status = 'waiting' AND account_id IS NOT NULL
    ;

CREATE TABLE agent_version_standings (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_version TEXT NOT NULL,
        scope TEXT NOT NULL CONSTRAINT agent_version_standings_scope CHECK (scope IN ('official', 'any')),
        agent_id TEXT NOT NULL REFERENCES agents (id),
        agent_version TEXT NOT NULL,
        agent_model TEXT NOT NULL,
        agent_framework TEXT NOT NULL,
        share DOUBLE PRECISION NOT NULL,
        passed BOOLEAN NOT NULL,
        points_earned DOUBLE PRECISION NOT NULL,
        recency BIGINT NOT NULL,
        result_id TEXT NOT NULL REFERENCES evaluation_results (id),
        score DOUBLE PRECISION,
        max_score DOUBLE PRECISION,
        completed_at TIMESTAMPTZ NOT NULL,
        result_version TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        passes INTEGER NOT NULL,
        CONSTRAINT agent_version_standings_key PRIMARY KEY (evaluation_id, evaluation_version, scope, agent_id,
            agent_version, agent_model, agent_framework)
    );

CREATE INDEX agent_version_standings_best ON agent_version_standings
        (evaluation_id, evaluation_version, scope, share, passed, points_earned, recency, result_id)
    ;

CREATE INDEX agent_version_standings_of_agent ON agent_version_standings (agent_id, recency)
        WHERE evaluation_version = '' AND scope = 'official'
    ;

CREATE TABLE evaluation_contribution_readers (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        PRIMARY KEY (contribution_id, agent_id)
    );

CREATE TRIGGER events_no_delete BEFORE DELETE ON events WHEN NOT (EXISTS (SELECT 1 FROM event_chain
        WHERE event_id = OLD.id AND position < (SELECT max(position) FROM event_checkpoints)))
        BEGIN SELECT RAISE(ABORT, 'events_are_append_only'); END;

CREATE TRIGGER event_chain_no_delete BEFORE DELETE ON event_chain WHEN NOT (OLD.position < coalesce((SELECT max(position) FROM event_checkpoints), 0)
        AND NOT EXISTS (SELECT 1 FROM events WHERE id = OLD.event_id))
        BEGIN SELECT RAISE(ABORT, 'event_chain_append_only'); END;

CREATE UNIQUE INDEX event_checkpoints_day ON event_checkpoints (substr(made_at, 1, 10));

CREATE TABLE "traces" (
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
    );

CREATE INDEX traces_newest ON traces (owner_id, received_at, id);

CREATE INDEX traces_by_score ON traces (owner_id, (coalesce(overall_score, -1)), id);

CREATE INDEX traces_by_name ON traces (owner_id, name, id);

CREATE UNIQUE INDEX traces_upload_key ON traces (owner_id, upload_key, upload_line) WHERE upload_key IS NOT NULL;

CREATE UNIQUE INDEX traces_span_key ON traces (owner_id, span_key) WHERE span_key IS NOT NULL;

CREATE INDEX traces_of_dataset ON traces (owner_id, dataset, received_at, id) WHERE dataset IS NOT NULL;

CREATE INDEX evaluation_results_decided_by ON evaluation_results (proctor_agent_id, id)
            WHERE proctor_agent_id IS NOT NULL
        ;

INSERT INTO alembic_version VALUES ('0030')
