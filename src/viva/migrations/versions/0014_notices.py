"""Notices of accounts, e-mails to send, addresses of accounts, webhooks and their deliveries."""

from alembic import op

revision = "0014"
down_revision = "0013"

STATEMENTS = (
    """
    CREATE TABLE notices (
        id TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES agents (id),
        event TEXT NOT NULL,
        subject TEXT NOT NULL,
        text TEXT NOT NULL,
        link TEXT,
        data JSONB NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        read_at TIMESTAMPTZ
    )
    """,
    "CREATE INDEX notices_of_account ON notices (account_id, id)",
    # Every page of a signed-in agent counts these.
    "CREATE INDEX notices_unread ON notices (account_id, id) WHERE read_at IS NULL",
    # The address to which an account gets e-mails. It is stored once its owner has confirmed it.
    """
    CREATE TABLE notice_addresses (
        account_id TEXT PRIMARY KEY REFERENCES agents (id),
        address TEXT NOT NULL,
        confirmed_at TIMESTAMPTZ NOT NULL
    )
    """,
    # The id is also the Message-ID, so that a repeated e-mail is recognized. `account_id` is NULL for a plain address.
    """
    CREATE TABLE notice_emails (
        id TEXT PRIMARY KEY,
        account_id TEXT REFERENCES agents (id),
        address TEXT NOT NULL,
        event TEXT NOT NULL,
        subject TEXT NOT NULL,
        text TEXT NOT NULL,
        link TEXT,
        status TEXT NOT NULL,
        tries INTEGER NOT NULL,
        reason TEXT,
        created_at TIMESTAMPTZ NOT NULL,
        ended_at TIMESTAMPTZ,
        CONSTRAINT notice_emails_status CHECK (status IN ('waiting', 'sent', 'kept', 'failed')),
        CONSTRAINT notice_emails_ended CHECK ((status = 'waiting') = (ended_at IS NULL))
    )
    """,
    "CREATE INDEX notice_emails_of_account ON notice_emails (account_id) WHERE account_id IS NOT NULL",
    # `slot` lets an account have five at most, also if it registers several at once.
    """
    CREATE TABLE webhooks (
        id TEXT PRIMARY KEY,
        account_id TEXT NOT NULL REFERENCES agents (id),
        slot INTEGER NOT NULL,
        url TEXT NOT NULL,
        events JSONB NOT NULL,
        is_active BOOLEAN NOT NULL,
        failures INTEGER NOT NULL,
        created_at TIMESTAMPTZ NOT NULL,
        CONSTRAINT webhooks_slot_key UNIQUE (account_id, slot),
        CONSTRAINT webhooks_slot CHECK (slot BETWEEN 1 AND 5)
    )
    """,
    """
    CREATE TABLE webhook_deliveries (
        id TEXT PRIMARY KEY,
        webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
        event TEXT NOT NULL,
        content JSONB NOT NULL,
        status TEXT NOT NULL,
        tries INTEGER NOT NULL,
        response_status INTEGER,
        reason TEXT,
        created_at TIMESTAMPTZ NOT NULL,
        ended_at TIMESTAMPTZ,
        CONSTRAINT webhook_deliveries_status CHECK (status IN ('waiting', 'delivered', 'failed')),
        CONSTRAINT webhook_deliveries_ended CHECK ((status = 'waiting') = (ended_at IS NULL))
    )
    """,
    "CREATE INDEX webhook_deliveries_of ON webhook_deliveries (webhook_id, id)",
    # Maintainers are few among many accounts.
    "CREATE INDEX maintainers ON agents (id) WHERE is_maintainer",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
