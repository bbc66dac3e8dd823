"""When a hidden text was erased. Then neither the text nor a salt is left."""

from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.execute(
        """
        ALTER TABLE hidden_texts ADD erased_at TIMESTAMPTZ
            CONSTRAINT hidden_texts_erased CHECK (erased_at IS NULL OR (original = '' AND salts IS NULL))
        """
    )
