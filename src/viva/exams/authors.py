"""Whose evaluation it is: the contributor whose contribution was merged. A name in a SIP gives no access."""

from viva.kit.db import Connection


def is_author(db: Connection, evaluation_id: str, agent_id: str) -> bool:
    row = db.execute(
        """
        SELECT 1 FROM evaluation_contributions
        WHERE contributor_id = ? AND evaluation_id = ? AND status = 'merged' LIMIT 1
        """,
        [agent_id, evaluation_id],
    ).fetchone()
    return row is not None
