"""Contributions: proposed evaluations with their revisions, comments, votes, reviews and numbers."""

from alembic import op

revision = "0012"
down_revision = "0011"

STATEMENTS = (
    # The names of the columns are those of the specification. `token_hash` opens the draft of a contributor without account.
    # JSON keeps the order of keys as the author wrote them, also in the published document; JSONB sorts them.
    """
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
    )
    """,
    "CREATE INDEX idx_eval_contrib_status ON evaluation_contributions (status, submitted_at, id)",
    "CREATE INDEX idx_eval_contrib_contributor ON evaluation_contributions (contributor_id, updated_at, id)",
    # Of two contributions with the same id, one can be approved.
    """
    CREATE UNIQUE INDEX evaluation_contributions_evaluation_id_key ON evaluation_contributions (evaluation_id)
        WHERE sip_number IS NOT NULL
    """,
    """
    CREATE INDEX evaluation_contributions_email ON evaluation_contributions (contributor_email, updated_at, id)
        WHERE contributor_email IS NOT NULL
    """,
    """
    CREATE INDEX evaluation_contributions_drafts_of_address ON evaluation_contributions (address_hash)
        WHERE status = 'draft' AND address_hash IS NOT NULL
    """,
    # The last validation of each contribution, for its review.
    """
    CREATE TABLE evaluation_contribution_validation (
        contribution_id TEXT PRIMARY KEY REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        is_valid BOOLEAN NOT NULL,
        errors JSONB NOT NULL,
        warnings JSONB NOT NULL,
        validated_at TIMESTAMPTZ NOT NULL
    )
    """,
    # Every revision as a whole. `submission` is set on those that were submitted, so that a review can show what changed.
    """
    CREATE TABLE evaluation_contribution_revisions (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        content JSON NOT NULL,
        editor_id TEXT REFERENCES agents (id),
        editor_name TEXT NOT NULL,
        submission INTEGER,
        saved_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (contribution_id, revision)
    )
    """,
    # Who else may edit the draft: an account, or whoever holds the token of the invitation.
    """
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
    )
    """,
    "CREATE INDEX evaluation_contribution_collaborators_of_agent ON evaluation_contribution_collaborators (agent_id)",
    # A comment is about a field, or about the whole if `field` is NULL. Those of a review are not for the community.
    """
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
    )
    """,
    """
    CREATE INDEX evaluation_contribution_comments_of ON evaluation_contribution_comments
        (contribution_id, written_at, id)
    """,
    """
    CREATE TABLE evaluation_contribution_votes (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        vote INTEGER NOT NULL,
        voted_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (contribution_id, agent_id),
        CONSTRAINT evaluation_contribution_votes_vote CHECK (vote IN (-1, 1))
    )
    """,
    # What the null agents and the reference agent reached in a scratch hub, for one revision.
    """
    CREATE TABLE evaluation_contribution_gates (
        contribution_id TEXT NOT NULL REFERENCES evaluation_contributions (id) ON DELETE CASCADE,
        revision INTEGER NOT NULL,
        status TEXT NOT NULL,
        outcomes JSONB NOT NULL,
        checked_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (contribution_id, revision),
        CONSTRAINT evaluation_contribution_gates_status CHECK (status IN ('running', 'passed', 'failed', 'not_checked'))
    )
    """,
    # To which evaluation each number from 100 up belongs, for ever. The key decides between two approvals or imports.
    """
    CREATE TABLE evaluation_numbers (
        number INTEGER NOT NULL,
        evaluation_id TEXT NOT NULL,
        CONSTRAINT evaluation_numbers_number_key PRIMARY KEY (number),
        CONSTRAINT evaluation_numbers_contributed CHECK (number >= 100)
    )
    """,
    "INSERT INTO evaluation_numbers (number, evaluation_id) SELECT sip, id FROM evaluation_definitions WHERE sip >= 100",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
