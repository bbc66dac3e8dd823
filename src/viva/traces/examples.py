"""Example traces: those that the demo shares with everybody, by a token that is no secret."""

from viva.kit.db import Connection
from viva.kit.rows import many
from viva.traces.model import StoredTrace
from viva.traces.sharing import digest_of
from viva.traces.store import TRACE_COLUMNS

EXAMPLE_OWNER = "marta.demo"
# Share tokens are random, so no account can give this one to a trace. Only the demo does.
EXAMPLE_TOKEN = "example"  # noqa: S105 — no secret
MAX_EXAMPLES = 50


def publish(db: Connection, trace_id: str) -> None:
    """Share a trace with everybody."""
    db.execute("UPDATE traces SET share_digest = ? WHERE id = ?", [digest_of(EXAMPLE_TOKEN), trace_id])


def list_examples(db: Connection, owner_id: str) -> list[StoredTrace]:
    """The example traces of an account, newest first."""
    sql = f"SELECT {TRACE_COLUMNS} FROM traces WHERE owner_id = ? AND share_digest = ? AND hidden_at IS NULL ORDER BY id DESC LIMIT ?"
    return many(StoredTrace, db.execute(sql, [owner_id, digest_of(EXAMPLE_TOKEN), MAX_EXAMPLES]))
