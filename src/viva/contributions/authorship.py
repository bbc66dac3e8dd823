"""Whose evaluation it is: the contributor whose contribution was merged. A name in a SIP gives no access."""

from viva.agents.model import Agent
from viva.kit.db import Connection
from viva.kit.errors import Forbidden


class NotTheAuthor(Forbidden):
    """Only maintainers and the authors of this evaluation see this."""


def check_sees_items(db: Connection, evaluation_id: str, viewer: Agent) -> None:
    if not sees_items(db, evaluation_id, viewer):
        raise NotTheAuthor()


def sees_items(db: Connection, evaluation_id: str, viewer: Agent | None) -> bool:
    """Whether the viewer sees the item statistics of the evaluation."""
    if viewer is None:
        return False
    return viewer.is_maintainer or is_author(db, evaluation_id, viewer.id)


def is_author(db: Connection, evaluation_id: str, agent_id: str) -> bool:
    row = db.execute(
        """
        SELECT 1 FROM evaluation_contributions
        WHERE contributor_id = ? AND evaluation_id = ? AND status = 'merged' LIMIT 1
        """,
        [agent_id, evaluation_id],
    ).fetchone()
    return row is not None
