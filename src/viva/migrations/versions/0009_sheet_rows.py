"""The rows of a sheet are stored when it opens, and every mark refers to a stored row."""

from alembic import op

revision = "0009"
down_revision = "0008"

STATEMENTS = (
    # Rows share texts: all rows of a class have its transcript. So each text is stored once, in a list of the sheet.
    # NULL means that the rows are not stored yet, as in sheets that were opened before this migration.
    "ALTER TABLE evaluation_sheets ADD COLUMN texts JSONB",
    """
    CREATE INDEX evaluation_sheets_without_rows ON evaluation_sheets (id) WHERE texts IS NULL AND status <> 'closed'
    """,
    # `texts` maps the names of the row's texts to their positions in the sheet's list.
    """
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
    )
    """,
    # For rows that have marks, the marks give the id and the maximum. Open sheets get the other columns at the next start.
    """
    INSERT INTO evaluation_sheet_rows (sheet_id, row_id, position, ask, most, points, texts, guidance)
    SELECT sheet_id, row_id, row_number() OVER (PARTITION BY sheet_id ORDER BY row_id) - 1, '', max(most), max(most),
        '{}', ''
    FROM evaluation_marks GROUP BY sheet_id, row_id
    """,
)
# SQLite cannot add a constraint to a table, so the table is rebuilt.
REBUILD = (
    """
    CREATE TABLE new_marks (
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
    )
    """,
    """
    INSERT INTO new_marks (sheet_id, marker, row_id, mark, most, reason, quote, notes)
    SELECT sheet_id, marker, row_id, mark, most, reason, quote, notes FROM evaluation_marks
    """,
    "DROP TABLE evaluation_marks",
    "ALTER TABLE new_marks RENAME TO evaluation_marks",
)
ALTER = (
    """
    ALTER TABLE evaluation_marks ADD FOREIGN KEY (sheet_id, row_id)
        REFERENCES evaluation_sheet_rows (sheet_id, row_id)
    """,
)


def upgrade() -> None:
    for statement in (*STATEMENTS, *(REBUILD if op.get_bind().dialect.name == "sqlite" else ALTER)):
        op.execute(statement)
