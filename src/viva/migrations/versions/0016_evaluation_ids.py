"""Which number each evaluation id belongs to, so that no sync takes the id of an approved contribution."""

from alembic import op

revision = "0016"
down_revision = "0015"

STATEMENTS = (
    # A row is added by an approval, or by the first sync of the id. The key decides between the two.
    """
    CREATE TABLE evaluation_ids (
        evaluation_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        CONSTRAINT evaluation_ids_evaluation_id_key PRIMARY KEY (evaluation_id)
    )
    """,
    "INSERT INTO evaluation_ids (evaluation_id, number) SELECT id, sip FROM evaluation_definitions",
    """
    INSERT INTO evaluation_ids (evaluation_id, number)
        SELECT evaluation_id, sip_number FROM evaluation_contributions
        WHERE status = 'approved' AND evaluation_id NOT IN (SELECT id FROM evaluation_definitions)
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
