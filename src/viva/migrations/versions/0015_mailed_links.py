"""E-mails with the link of a draft lose its token: a copy of the database must not open drafts."""

from alembic import op

revision = "0015"
down_revision = "0014"

# The path is `/evaluations/contribute/` with an id of 45 characters. What follows it is the token.
STATEMENT = "UPDATE notice_emails SET link = substr(link, 1, 69) WHERE event = 'contribution.link'"


def upgrade() -> None:
    op.execute(STATEMENT)
