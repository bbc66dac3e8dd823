"""Comments and votes on contributions in the database."""

from viva.contributions.model import Contribution, ContributionComment
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.ids import new_id
from viva.kit.paging import take_fitting
from viva.kit.rows import many

COMMENT_COLUMNS = ", ".join(ContributionComment.__struct_fields__)
MAX_COMMENTS_SHOWN = 200


def add(
    db: Connection,
    contribution: Contribution,
    author_id: str | None,
    author_name: str,
    text: str,
    field: str | None,
    is_community: bool,
) -> ContributionComment:
    comment = ContributionComment(
        new_id("eval_comment"), author_id, author_name, field, text, is_community, contribution.revision, now()
    )
    values = [getattr(comment, name) for name in ContributionComment.__struct_fields__]
    db.execute(
        f"""
        INSERT INTO evaluation_contribution_comments ({COMMENT_COLUMNS}, contribution_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [*values, contribution.id],
    )
    return comment


def list_comments(
    db: Connection, contribution_id: str, only_community: bool = False, limit: int = MAX_COMMENTS_SHOWN, offset: int = 0
) -> list[ContributionComment]:
    """Comments, newest first. Those of a review are not for the community."""
    rows = db.execute(
        f"""
        SELECT {COMMENT_COLUMNS} FROM evaluation_contribution_comments
        WHERE contribution_id = ? {"AND is_community" if only_community else ""}
        ORDER BY written_at DESC, id DESC LIMIT ? OFFSET ?
        """,
        [contribution_id, limit, offset],
    )
    return take_fitting(many(ContributionComment, rows))


def put_vote(db: Connection, contribution_id: str, agent_id: str, vote: int) -> None:
    """Store the vote of an agent in place of an earlier one."""
    db.execute(
        """
        INSERT INTO evaluation_contribution_votes (contribution_id, agent_id, vote, voted_at)
        VALUES (:contribution_id, :agent_id, :vote, :now)
        ON CONFLICT (contribution_id, agent_id) DO UPDATE SET vote = :vote, voted_at = :now
        """,
        {"contribution_id": contribution_id, "agent_id": agent_id, "vote": vote, "now": now()},
    )


def find_vote(db: Connection, contribution_id: str, agent_id: str) -> int:
    """1 or -1, or 0 if the agent has not voted."""
    sql = "SELECT vote FROM evaluation_contribution_votes WHERE contribution_id = ? AND agent_id = ?"
    row = db.execute(sql, [contribution_id, agent_id]).fetchone()
    return row[0] if row else 0


def drop_vote(db: Connection, contribution_id: str, agent_id: str) -> None:
    db.execute(
        "DELETE FROM evaluation_contribution_votes WHERE contribution_id = ? AND agent_id = ?",
        [contribution_id, agent_id],
    )
