"""Chains of messages and of events, signed statements about results, signing keys, and the names of agents."""

import hashlib
import secrets
from typing import Any

from alembic import op
from sqlalchemy import text

revision = "0021"
down_revision = "0020"

NO_HASH = "0" * 64
BATCH_ROWS = 2_000

TABLES = (
    # The salt and the hash stand beside the text, so that a stranger can check them. `content_hash` is of an erased text.
    "ALTER TABLE evaluation_messages ADD COLUMN salt TEXT CONSTRAINT evaluation_messages_salt CHECK (length(salt) = 32)",
    "ALTER TABLE evaluation_messages ADD COLUMN hash TEXT CONSTRAINT evaluation_messages_hash CHECK (length(hash) = 64)",
    """
    ALTER TABLE evaluation_messages ADD COLUMN content_hash TEXT
        CONSTRAINT evaluation_messages_content_hash CHECK (length(content_hash) = 64)
    """,
    # The hash of the last message stands in the row that is locked for the next one.
    f"ALTER TABLE evaluation_sessions ADD COLUMN chain_head TEXT NOT NULL DEFAULT '{NO_HASH}'",
    # The salt of each text of the result, by the name of its column.
    "ALTER TABLE evaluation_results ADD COLUMN salts JSONB NOT NULL DEFAULT '{}'",
    # Every name that an agent had. Its rows are deleted with the account.
    """
    CREATE TABLE agent_names (
        agent_id TEXT NOT NULL REFERENCES agents (id),
        name TEXT NOT NULL,
        salt TEXT NOT NULL,
        given_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT agent_names_salt CHECK (length(salt) = 32),
        PRIMARY KEY (agent_id, given_at, salt)
    )
    """,
    # Private keys are derived from the hub's secret, so they stand nowhere.
    """
    CREATE TABLE signing_keys (
        id TEXT PRIMARY KEY,
        number INTEGER NOT NULL,
        public_key TEXT NOT NULL,
        made_at TIMESTAMPTZ NOT NULL,
        retired_at TIMESTAMPTZ,
        CONSTRAINT signing_keys_number_key UNIQUE (number),
        CONSTRAINT signing_keys_number CHECK (number >= 1)
    )
    """,
    # `statement` is the canonical JSON that was signed. The last one of a result is in force.
    """
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
    )
    """,
    """
    CREATE TABLE event_chain (
        position BIGINT PRIMARY KEY,
        event_id BIGINT NOT NULL,
        hash TEXT NOT NULL,
        CONSTRAINT event_chain_event_id_key UNIQUE (event_id),
        CONSTRAINT event_chain_position CHECK (position >= 1),
        CONSTRAINT event_chain_hash CHECK (length(hash) = 64)
    )
    """,
    # A signed head of the log. It stands for the events up to its position once they are deleted.
    """
    CREATE TABLE event_checkpoints (
        position BIGINT PRIMARY KEY,
        hash TEXT NOT NULL,
        made_at TIMESTAMPTZ NOT NULL,
        signature TEXT NOT NULL,
        key_id TEXT NOT NULL REFERENCES signing_keys (id)
    )
    """,
    # Events that are compared with what is signed; see kit/events.py.
    "CREATE INDEX events_proven ON events (subject_id) WHERE subject_type IN ('message', 'name', 'result', 'signing_key')",
)

APPEND_ONLY = ("result_statements", "event_chain", "event_checkpoints")
SQLITE_GUARD = """
    CREATE TRIGGER {table}_no_{change} BEFORE {change} ON {table}
        BEGIN SELECT RAISE(ABORT, '{table}_append_only'); END
"""
# INSERT OR REPLACE deletes a row without firing the trigger above.
SQLITE_REPLACE_GUARD = """
    CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})
        BEGIN SELECT RAISE(ABORT, '{table}_append_only'); END
"""
SAME_ROW = {
    "result_statements": "result_id = NEW.result_id AND number = NEW.number",
    "event_chain": "position = NEW.position OR event_id = NEW.event_id",
    "event_checkpoints": "position = NEW.position",
}
POSTGRES_GUARD_FUNCTION = """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'Rows of this table are never changed.'
                USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_TABLE_NAME || '_append_only';
        END
    $$
"""
POSTGRES_GUARD = """
    CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
"""

TIME = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
EVENT_HASH = f"""
    encode(sha256(convert_to('viva-event-1' || E'\\n' || {{last}} || E'\\n' || {{e}}.id || E'\\n' || {TIME.format("{e}.at")}
        || E'\\n' || {{e}}.action || E'\\n' || {{e}}.via || E'\\n' || coalesce({{e}}.account_id, '') || E'\\n'
        || coalesce({{e}}.key_prefix, '') || E'\\n' || coalesce({{e}}.address_hash, '') || E'\\n' || {{e}}.subject_type
        || E'\\n' || {{e}}.subject_id || E'\\n' || {{e}}.data, 'UTF8')), 'hex')
"""
# The lock is taken at the commit, when nothing else of the transaction is left to wait for. So it cannot deadlock, and
# a long transaction holds nobody up. A restored event is in the chain already.
POSTGRES_EVENTS = (
    f"""
    CREATE FUNCTION link_event() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE
            place BIGINT;
            head TEXT;
        BEGIN
            IF EXISTS (SELECT 1 FROM event_chain WHERE event_id = NEW.id) THEN
                RETURN NULL;
            END IF;
            PERFORM pg_advisory_xact_lock(7461994);
            SELECT position, hash INTO place, head FROM event_chain ORDER BY position DESC LIMIT 1;
            head := coalesce(head, '{NO_HASH}');
            INSERT INTO event_chain (position, event_id, hash)
                VALUES (coalesce(place, 0) + 1, NEW.id, {EVENT_HASH.format(e="NEW", last="head")});
            RETURN NULL;
        END
    $$
    """,
    """
    CREATE CONSTRAINT TRIGGER events_link AFTER INSERT ON events DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION link_event()
    """,
)
POSTGRES_FILL = (
    f"""
    DO $$ DECLARE
        said RECORD;
        session TEXT := '';
        head TEXT;
        salted TEXT;
    BEGIN
        FOR said IN SELECT * FROM evaluation_messages ORDER BY session_id, sequence LOOP
            IF said.session_id <> session THEN
                session := said.session_id;
                head := '{NO_HASH}';
            END IF;
            salted := replace(gen_random_uuid()::text, '-', '');
            head := encode(sha256(convert_to('viva-message-1' || E'\\n' || session || E'\\n' || said.id || E'\\n'
                || said.sender_agent_id || E'\\n' || said.sequence || E'\\n' || said.role || E'\\n'
                || {TIME.format("said.created_at")} || E'\\n' || head || E'\\n'
                || encode(sha256(decode(salted, 'hex') || convert_to(said.content, 'UTF8')), 'hex') || E'\\n'
                || coalesce(said.prompt_id, ''), 'UTF8')), 'hex');
            UPDATE evaluation_messages SET salt = salted, hash = head WHERE id = said.id;
        END LOOP;
    END $$
    """,
    f"""
    DO $$ DECLARE
        past RECORD;
        place BIGINT := 0;
        head TEXT := '{NO_HASH}';
    BEGIN
        FOR past IN SELECT * FROM events ORDER BY id LOOP
            place := place + 1;
            head := {EVENT_HASH.format(e="past", last="head")};
            INSERT INTO event_chain (position, event_id, hash) VALUES (place, past.id, head);
        END LOOP;
    END $$
    """,
    """
    INSERT INTO agent_names (agent_id, name, salt, given_at)
    SELECT id, name, replace(gen_random_uuid()::text, '-', ''), created_at FROM agents WHERE name IS NOT NULL
    """,
)
FILL_HEADS = """
    UPDATE evaluation_sessions SET chain_head = (SELECT hash FROM evaluation_messages
        WHERE session_id = evaluation_sessions.id AND sequence = evaluation_sessions.message_count)
    WHERE EXISTS (SELECT 1 FROM evaluation_messages
        WHERE session_id = evaluation_sessions.id AND sequence = evaluation_sessions.message_count)
"""


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in TABLES:
        op.execute(statement)
    if is_sqlite:
        fill_sqlite()
    else:
        for statement in POSTGRES_FILL:
            op.get_bind().exec_driver_sql(statement)
    op.execute(FILL_HEADS)
    guard(is_sqlite)


def guard(is_sqlite: bool) -> None:
    for table in APPEND_ONLY if is_sqlite else ():
        for change in ("update", "delete"):
            op.execute(SQLITE_GUARD.format(table=table, change=change))
        op.execute(SQLITE_REPLACE_GUARD.format(table=table, same=SAME_ROW[table]))
    if not is_sqlite:
        for statement in (POSTGRES_GUARD_FUNCTION, *POSTGRES_EVENTS):
            op.get_bind().exec_driver_sql(statement)
        for table in APPEND_ONLY:
            op.execute(POSTGRES_GUARD.format(table=table))


def fill_sqlite() -> None:
    fill_messages()
    fill_events()
    named = op.get_bind().exec_driver_sql("SELECT id, name, created_at FROM agents WHERE name IS NOT NULL").fetchall()
    add_all(
        "INSERT INTO agent_names (agent_id, name, salt, given_at) VALUES (?, ?, ?, ?)",
        [(id_, name, secrets.token_hex(16), at) for id_, name, at in named],
    )


def fill_messages() -> None:
    after, head = ("", 0), NO_HASH
    while rows := read_after(
        """
        SELECT session_id, sequence, id, sender_agent_id, role, created_at, content, prompt_id FROM evaluation_messages
        WHERE (session_id, sequence) > (:first, :second) ORDER BY session_id, sequence LIMIT :batch
        """,
        *after,
    ):
        changes = []
        for row in rows:
            if row.session_id != after[0]:
                head = NO_HASH
            after = (row.session_id, row.sequence)
            salt = secrets.token_bytes(16)
            said = hashlib.sha256(salt + row.content.encode()).hexdigest()
            fields = (row.session_id, row.id, row.sender_agent_id, row.sequence, row.role, row.created_at, head, said)
            head = hash_lines("viva-message-1", *fields, row.prompt_id or "")
            changes.append((salt.hex(), head, row.id))
        add_all("UPDATE evaluation_messages SET salt = ?, hash = ? WHERE id = ?", changes)


def fill_events() -> None:
    position, last_id, head = 0, 0, NO_HASH
    while rows := read_after("SELECT * FROM events WHERE id > :first ORDER BY id LIMIT :batch", last_id):
        links = []
        for row in rows:
            position, last_id = position + 1, row.id
            who = (row.account_id or "", row.key_prefix or "", row.address_hash or "")
            subject = (row.subject_type, row.subject_id, row.data)
            head = hash_lines("viva-event-1", head, row.id, row.at, row.action, row.via, *who, *subject)
            links.append((position, row.id, head))
        add_all("INSERT INTO event_chain (position, event_id, hash) VALUES (?, ?, ?)", links)


def hash_lines(*lines: Any) -> str:
    return hashlib.sha256("\n".join(map(str, lines)).encode()).hexdigest()


def read_after(statement: str, *after: Any) -> list[Any]:
    places = dict(zip(("first", "second"), after, strict=False))
    return list(op.get_bind().execute(text(statement), {**places, "batch": BATCH_ROWS}).fetchall())


def add_all(statement: str, rows: list[tuple[Any, ...]]) -> None:
    if rows:
        op.get_bind().exec_driver_sql(statement, rows)
