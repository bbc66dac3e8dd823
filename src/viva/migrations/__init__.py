"""The schema, one step a file, run in order by Alembic; a step is never edited after it has landed."""
