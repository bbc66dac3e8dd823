"""Events before a checkpoint can be deleted, with their links. A day has one checkpoint."""

from alembic import op

revision = "0027"
down_revision = "0026"

MAY_GO = """
    EXISTS (SELECT 1 FROM event_chain
        WHERE event_id = OLD.id AND position < (SELECT max(position) FROM event_checkpoints))
"""
LINK_MAY_GO = """
    OLD.position < coalesce((SELECT max(position) FROM event_checkpoints), 0)
        AND NOT EXISTS (SELECT 1 FROM events WHERE id = OLD.event_id)
"""
POSTGRES_GUARD_FUNCTION = """
    CREATE FUNCTION refuse_{table}_delete() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF {may_go} THEN
                RETURN OLD;
            END IF;
            RAISE EXCEPTION 'Only events before a checkpoint are deleted.'
                USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = '{constraint}';
        END
    $$
"""
POSTGRES_GUARD = """
    CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_{table}_delete()
"""
SQLITE_GUARD = """
    CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN NOT ({may_go})
        BEGIN SELECT RAISE(ABORT, '{constraint}'); END
"""
GUARDED = (
    {"table": "events", "may_go": MAY_GO.strip(), "constraint": "events_are_append_only"},
    {"table": "event_chain", "may_go": LINK_MAY_GO.strip(), "constraint": "event_chain_append_only"},
)
STATEMENTS = {
    "sqlite": (
        "DROP TRIGGER events_no_delete",
        "DROP TRIGGER event_chain_no_delete",
        *(SQLITE_GUARD.format(**guarded) for guarded in GUARDED),
        "CREATE UNIQUE INDEX event_checkpoints_day ON event_checkpoints (substr(made_at, 1, 10))",
    ),
    "postgresql": (
        "DROP TRIGGER events_no_change ON events",
        "DROP TRIGGER event_chain_no_change ON event_chain",
        """
        CREATE TRIGGER events_no_change BEFORE UPDATE OR TRUNCATE ON events
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_events_change()
        """,
        """
        CREATE TRIGGER event_chain_no_change BEFORE UPDATE OR TRUNCATE ON event_chain
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
        """,
        *(form.format(**guarded) for guarded in GUARDED for form in (POSTGRES_GUARD_FUNCTION, POSTGRES_GUARD)),
        """
        CREATE UNIQUE INDEX event_checkpoints_day
            ON event_checkpoints (CAST(made_at AT TIME ZONE 'UTC' AS DATE))
        """,
    ),
}


def upgrade() -> None:
    for statement in STATEMENTS[op.get_bind().dialect.name]:
        op.get_bind().exec_driver_sql(statement)
