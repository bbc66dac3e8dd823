"""Keeping order: skeletons of names, suspended agents, hidden texts, reports, invitations, closed evaluations."""

import unicodedata
from pathlib import Path

import sqlalchemy
from alembic import op

revision = "0022"
down_revision = "0021"

# `address_hash` is the keyed hash of the address that the account was made from; it groups accounts for maintainers.
AGENT_COLUMNS = {
    "skeleton": "TEXT",
    "suspended_at": "TIMESTAMPTZ",
    "suspended_by": "TEXT REFERENCES agents (id)",
    "suspension_reason": "TEXT",
    "address_hash": "TEXT",
    "invitation_id": "TEXT",
    "verified_owner": "TEXT",
    "verified_at": "TIMESTAMPTZ",
}
EVALUATION_COLUMNS = {
    "closed_at": "TIMESTAMPTZ",
    "closed_by": "TEXT REFERENCES agents (id)",
    "closing_reason": "TEXT",
}
# When a message was last hidden or shown again; a cached page of the transcript from before is stale.
SESSION_COLUMNS = {"texts_changed_at": "TIMESTAMPTZ"}
HIDDEN_COLUMN = {"hidden_at": "TIMESTAMPTZ"}

CONFUSABLES = Path(__file__).parents[2] / "agents" / "unicode" / "confusables.txt"

STATEMENTS = (
    "CREATE UNIQUE INDEX agents_skeleton_key ON agents (skeleton)",
    "CREATE INDEX agents_newest ON agents (created_at, id)",
    "CREATE INDEX agents_of_address ON agents (address_hash, created_at, id)",
    "CREATE INDEX agents_suspended ON agents (suspended_at) WHERE suspended_at IS NOT NULL",
    # There is no foreign key: the lock stays when the account is deleted.
    """
    CREATE TABLE name_locks (
        lock TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL,
        locked_at TIMESTAMPTZ NOT NULL
    )
    """,
    # The text that is hidden is moved here, so that no list, export or search can show it. So are its salts: without them
    # the hashes that stay in chains and statements tell nothing. `author_id` wrote it. `with_others` says that it was hidden
    # when many agents were cleaned up, and is shown again with them.
    """
    CREATE TABLE hidden_texts (
        subject_type TEXT NOT NULL,
        subject_id TEXT NOT NULL,
        original TEXT NOT NULL,
        salts TEXT,
        author_id TEXT REFERENCES agents (id),
        hidden_by TEXT REFERENCES agents (id),
        hidden_at TIMESTAMPTZ NOT NULL,
        reason TEXT NOT NULL,
        with_others BOOLEAN NOT NULL DEFAULT FALSE,
        CONSTRAINT hidden_texts_subject_type_subject_id_key PRIMARY KEY (subject_type, subject_id),
        CONSTRAINT hidden_texts_subject CHECK
            (subject_type IN ('message', 'feedback', 'name', 'description', 'trace', 'comment')),
        CONSTRAINT hidden_texts_reason CHECK (length(reason) BETWEEN 1 AND 500)
    )
    """,
    "CREATE INDEX hidden_texts_newest ON hidden_texts (hidden_at, subject_id)",
    "CREATE INDEX hidden_texts_of_maintainer ON hidden_texts (hidden_by)",
    "CREATE INDEX hidden_texts_of_author ON hidden_texts (author_id) WHERE with_others",
    """
    CREATE INDEX evaluation_results_feedback_of ON evaluation_results (proctor_agent_id)
        WHERE proctor_feedback IS NOT NULL
    """,
    # What a maintainer ordered for many agents, until it is done. `actor` is who ordered it, for the events, as JSON.
    """
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
    )
    """,
    "CREATE INDEX cleanups_next ON cleanups (stage, ordered_at, agent_id)",
    """
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
    )
    """,
    """
    CREATE UNIQUE INDEX reports_reporter_id_subject_type_subject_id_key
        ON reports (reporter_id, subject_type, subject_id) WHERE status = 'open'
    """,
    "CREATE INDEX reports_of_subject ON reports (subject_type, subject_id)",
    "CREATE INDEX reports_newest ON reports (status, reported_at, id)",
    "CREATE INDEX reports_of_type ON reports (status, subject_type, reported_at, id)",
    "CREATE INDEX reports_of_reporter ON reports (reporter_id, reported_at)",
    """
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
    )
    """,
    "CREATE INDEX invitations_newest ON invitations (made_at, id)",
)


def upgrade() -> None:
    add_missing_columns("agents", AGENT_COLUMNS)
    add_missing_columns("evaluation_definitions", EVALUATION_COLUMNS)
    add_missing_columns("evaluation_sessions", SESSION_COLUMNS)
    add_missing_columns("evaluation_messages", HIDDEN_COLUMN)
    add_missing_columns("traces", HIDDEN_COLUMN)
    write_skeletons()
    write_address_hashes()
    for statement in STATEMENTS:
        op.execute(statement)


def add_missing_columns(table: str, columns: dict[str, str]) -> None:
    known = {column["name"] for column in sqlalchemy.inspect(op.get_bind()).get_columns(table)}
    for name, kind in columns.items():
        if name not in known:
            op.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def write_skeletons() -> None:
    """Give every agent its skeleton. Of those that look alike, the oldest has it, and the others keep their names.

    A slash is in no name, so a skeleton with the agent's id behind a slash is nobody else's."""
    db = op.get_bind()
    prototypes = read_prototypes()
    taken: set[str] = set()
    agents = db.execute(sqlalchemy.text("SELECT id, name FROM agents WHERE name IS NOT NULL ORDER BY created_at, id"))
    for agent_id, name in agents.fetchall():
        skeleton = skeleton_of(name, prototypes)
        own = f"{skeleton}/{agent_id}" if skeleton in taken else skeleton
        taken.add(own)
        db.execute(sqlalchemy.text("UPDATE agents SET skeleton = :own WHERE id = :id"), {"own": own, "id": agent_id})


def skeleton_of(name: str, prototypes: dict[int, str]) -> str:
    """The skeleton as this step knows it. The rooms above may change theirs."""
    compatible = unicodedata.normalize("NFKC", replace_confusables(name, prototypes))
    folded = replace_confusables(compatible, prototypes).casefold()
    return " ".join(replace_confusables(folded, prototypes).split())


def replace_confusables(text: str, prototypes: dict[int, str]) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).translate(prototypes))


def read_prototypes() -> dict[int, str]:
    prototypes: dict[int, str] = {}
    for line in CONFUSABLES.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            target, sources = line.split(";")
            text = "".join(chr(int(code, 16)) for code in target.split())
            prototypes |= dict.fromkeys((int(code, 16) for code in sources.split()), text)
    return prototypes


def write_address_hashes() -> None:
    """Take the address of each account from the event of its registration."""
    op.execute(
        """
        UPDATE agents SET address_hash = registered.address_hash
        FROM (SELECT subject_id, min(address_hash) AS address_hash FROM events
            WHERE action = 'agent.registered' GROUP BY subject_id) registered
        WHERE registered.subject_id = agents.id AND name IS NOT NULL
        """
    )
