"""The publication of contributions in the database: approval, number, problem, and which ones wait for their publication."""

from datetime import datetime

from viva.contributions import store
from viva.contributions.model import Contribution
from viva.contributions.store import CONTRIBUTION_COLUMNS
from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.errors import Conflict
from viva.kit.rows import find, many

MAX_PROBLEM_CHARACTERS = 500
MAX_FOLLOWED_PER_SWEEP = 50  # keeps the locks of a sweep short


class EvaluationIdTaken(Conflict):
    """Another evaluation or an approved contribution has this id. Ask the contributor for another one."""


def set_approved(
    db: Connection,
    contribution: Contribution,
    reviewer_id: str,
    notes: str | None,
    auto_merge: bool,
    evaluation_id: str,
    number: int,
) -> Contribution:
    at = now()
    with refusing({"evaluation_contributions_evaluation_id_key": EvaluationIdTaken}):
        return store.move_to(
            db,
            contribution,
            "approved",
            reviewed_by=reviewer_id,
            reviewed_at=at,
            review_notes=notes,
            auto_merge=auto_merge,
            evaluation_id=evaluation_id,
            sip_number=number,
            publication_tried_at=at,
        )


def set_merged(db: Connection, contribution: Contribution) -> Contribution:
    return store.move_to(db, contribution, "merged", merged_at=now(), publication_problem=None)


def set_problem(db: Connection, contribution_id: str, problem: str | None) -> Contribution:
    """Keep why the contribution is not live yet, for its contributor and the maintainers."""
    text = problem and problem[:MAX_PROBLEM_CHARACTERS].replace("\0", " ")
    return store.change(db, contribution_id, publication_problem=text)


def take_unpublished(db: Connection, tried_before: datetime) -> Contribution | None:
    """An approved contribution that should be live already, and that nobody has tried to publish since."""
    return find(
        Contribution,
        db.execute(
            f"""
            UPDATE evaluation_contributions SET publication_tried_at = ? WHERE id = (
                SELECT id FROM evaluation_contributions
                WHERE status = 'approved' AND auto_merge AND publication_tried_at < ?
                ORDER BY publication_tried_at LIMIT 1 {db.skip_locked}
            ) RETURNING {CONTRIBUTION_COLUMNS}
            """,
            [now(), tried_before],
        ),
    )


def take_unfollowed(db: Connection, tried_before: datetime) -> list[str]:
    """The ids of approved contributions whose branch or pull request nobody has looked at since."""
    rows = db.execute(
        f"""
        UPDATE evaluation_contributions SET publication_tried_at = ? WHERE id IN (
            SELECT id FROM evaluation_contributions
            WHERE status = 'approved' AND NOT auto_merge AND publication_tried_at < ?
            ORDER BY publication_tried_at LIMIT {MAX_FOLLOWED_PER_SWEEP} {db.skip_locked}
        ) RETURNING id
        """,
        [now(), tried_before],
    ).fetchall()
    return [contribution_id for (contribution_id,) in rows]


def list_merged(db: Connection, after: int, limit: int) -> list[Contribution]:
    """Merged contributions whose number is higher, by number."""
    return many(
        Contribution,
        db.execute(
            f"""
            SELECT {CONTRIBUTION_COLUMNS} FROM evaluation_contributions
            WHERE sip_number > ? AND merged_at IS NOT NULL ORDER BY sip_number LIMIT ?
            """,
            [after, limit],
        ),
    )


def find_by_pull_request(db: Connection, url: str) -> Contribution | None:
    """The contribution that was taken over from this pull request, locked until commit."""
    sql = (
        f"UPDATE evaluation_contributions SET status = status WHERE merged_pr_url = ? RETURNING {CONTRIBUTION_COLUMNS}"
    )
    return find(Contribution, db.execute(sql, [url]))
