"""The event log, an append-only table."""

from alembic import op

revision = "0011"
down_revision = "0010"

# There are no foreign keys: an event stays as written when its subject changes or is deleted. `data` is text, so that
# both databases give the same bytes.
COLUMNS = """
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
"""

STATEMENTS = {
    "sqlite": (
        # Without AUTOINCREMENT the next id is the largest id plus 1, so there are no gaps.
        f"""
        CREATE TABLE events (id INTEGER PRIMARY KEY, {COLUMNS}
            CONSTRAINT events_data CHECK (length(CAST(data AS BLOB)) BETWEEN 2 AND 2000))
        """,
        """
        CREATE TRIGGER events_no_update BEFORE UPDATE ON events
            BEGIN SELECT RAISE(ABORT, 'events_are_append_only'); END
        """,
        """
        CREATE TRIGGER events_no_delete BEFORE DELETE ON events
            BEGIN SELECT RAISE(ABORT, 'events_are_append_only'); END
        """,
        # INSERT OR REPLACE deletes a row without firing the trigger above.
        """
        CREATE TRIGGER events_no_replace BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE id = NEW.id)
            BEGIN SELECT RAISE(ABORT, 'events_are_append_only'); END
        """,
    ),
    "postgresql": (
        # A transaction that fails leaves a gap, and ids may become visible out of order. A reader must expect both.
        f"""
        CREATE TABLE events (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, {COLUMNS}
            CONSTRAINT events_data CHECK (octet_length(data) BETWEEN 2 AND 2000))
        """,
        """
        CREATE FUNCTION refuse_events_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'Events are never changed.'
                    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'events_are_append_only';
            END
        $$
        """,
        """
        CREATE TRIGGER events_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON events
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_events_change()
        """,
    ),
}


def upgrade() -> None:
    for statement in STATEMENTS[op.get_bind().dialect.name]:
        op.execute(statement)
