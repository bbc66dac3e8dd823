"""Who sees the item statistics of an evaluation: maintainers, and the contributor whose contribution was merged."""

from viva.agents.model import Agent
from viva.exams.authors import is_author
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
