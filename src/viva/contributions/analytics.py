"""Figures about contributions: how many, how fast they are reviewed, how many are accepted, and by whom."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import median

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import DELETED_NAME
from viva.kit.rows import many
from viva.results.intervals import wilson_interval

MAX_SUBMISSIONS_COUNTED = 5_000  # the latest; more would make the page slow
MAX_CONTRIBUTORS_SHOWN = 50
POINTS_PER_MERGED_EVALUATION = 10
# The badge for so many merged evaluations, the highest first.
BADGES = {25: "Author of twenty-five", 10: "Author of ten", 5: "Author of five", 1: "First evaluation"}


class SubmittedRow(Struct, frozen=True):
    """What the figures need of a contribution that was submitted."""

    contributor_id: str | None
    contributor_name: str
    status: str
    type: str
    submitted_at: datetime
    reviewed_at: datetime | None


class MonthCount(Struct, frozen=True):
    month: str  # as 2026-11
    submitted: int
    merged: int


class TypeCount(Struct, frozen=True):
    type: str
    submitted: int
    merged: int


class Acceptance(Struct, frozen=True):
    """The share of decided contributions that were approved, with its 95 % interval."""

    accepted: int
    decided: int
    share: float
    low: float
    high: float


class ContributorStanding(Struct, frozen=True):
    """A contributor's merged work. Its points are never part of the points for exams."""

    name: str
    is_account: bool
    merged: int
    submitted: int
    contribution_points: int
    badge: str | None


class ContributionAnalytics(Struct, frozen=True):
    submitted: int
    merged: int
    awaiting_review: int
    median_review_hours: float | None
    acceptance: Acceptance | None
    months: list[MonthCount]
    types: list[TypeCount]
    contributors: list[ContributorStanding]
    is_complete: bool  # False if there are more submissions than are counted


def read_analytics(db: Connection) -> ContributionAnalytics:
    rows = db.execute(
        f"""
        SELECT c.contributor_id, CASE WHEN c.contributor_id IS NULL THEN c.contributor_name
                ELSE coalesce(a.name, '{DELETED_NAME}') END AS contributor_name,
            c.status, c.type, c.submitted_at, c.reviewed_at
        FROM evaluation_contributions c LEFT JOIN agents a ON a.id = c.contributor_id
        WHERE c.submitted_at IS NOT NULL ORDER BY c.submitted_at DESC LIMIT {MAX_SUBMISSIONS_COUNTED + 1}
        """
    )
    return summarize(many(SubmittedRow, rows))


def summarize(rows: Sequence[SubmittedRow]) -> ContributionAnalytics:
    counted = rows[:MAX_SUBMISSIONS_COUNTED]
    decided = [row for row in counted if row.status in ("merged", "approved", "rejected")]
    review_hours = [(row.reviewed_at - row.submitted_at).total_seconds() / 3600 for row in decided if row.reviewed_at]
    return ContributionAnalytics(
        submitted=len(counted),
        merged=count_merged(counted),
        awaiting_review=sum(row.status in ("submitted", "under_review") for row in counted),
        median_review_hours=round(median(review_hours), 2) if review_hours else None,
        acceptance=acceptance_of(decided),
        months=[MonthCount(month, *counts) for month, counts in sorted(group(counted, month_of).items())],
        types=[TypeCount(kind, *counts) for kind, counts in by_number(group(counted, lambda row: row.type))],
        contributors=list_contributors(counted),
        is_complete=len(rows) <= MAX_SUBMISSIONS_COUNTED,
    )


def month_of(row: SubmittedRow) -> str:
    return row.submitted_at.strftime("%Y-%m")


def count_merged(rows: Sequence[SubmittedRow]) -> int:
    return sum(row.status == "merged" for row in rows)


def group(rows: Sequence[SubmittedRow], key: Callable[[SubmittedRow], str]) -> dict[str, tuple[int, int]]:
    """How many were submitted and merged, by the key."""
    submitted = Counter(key(row) for row in rows)
    merged = Counter(key(row) for row in rows if row.status == "merged")
    return {name: (number, merged[name]) for name, number in submitted.items()}


def by_number(groups: dict[str, tuple[int, int]]) -> list[tuple[str, tuple[int, int]]]:
    return sorted(groups.items(), key=lambda item: (-item[1][0], item[0]))


def acceptance_of(decided: Sequence[SubmittedRow]) -> Acceptance | None:
    """None if nothing is decided yet."""
    if not decided:
        return None
    accepted = sum(row.status != "rejected" for row in decided)
    low, high = wilson_interval(accepted, len(decided))
    return Acceptance(accepted, len(decided), accepted / len(decided), low, high)


def list_contributors(rows: Sequence[SubmittedRow]) -> list[ContributorStanding]:
    """Contributors with merged work, the most first. Equal names without an account count as one contributor."""
    names = {key_of(row): row for row in rows}
    groups = group(rows, key_of)
    ranked = sorted(groups.items(), key=lambda item: (-item[1][1], names[item[0]].contributor_name))
    return [
        standing(names[key], submitted, merged)
        for key, (submitted, merged) in ranked[:MAX_CONTRIBUTORS_SHOWN]
        if merged
    ]


def key_of(row: SubmittedRow) -> str:
    return row.contributor_id or f"name {row.contributor_name}"


def standing(row: SubmittedRow, submitted: int, merged: int) -> ContributorStanding:
    is_account = row.contributor_id is not None and row.contributor_name != DELETED_NAME
    points = merged * POINTS_PER_MERGED_EVALUATION
    return ContributorStanding(row.contributor_name, is_account, merged, submitted, points, badge_for(merged))


def badge_for(merged: int) -> str | None:
    return next((badge for number, badge in BADGES.items() if merged >= number), None)


def find_contributor(db: Connection, agent_id: str, name: str) -> ContributorStanding | None:
    """The merged work of one account; None if it has none."""
    submitted, merged = db.execute(
        """
        SELECT count(*), sum(CASE WHEN status = 'merged' THEN 1 ELSE 0 END) FROM evaluation_contributions
        WHERE contributor_id = ? AND submitted_at IS NOT NULL
        """,
        [agent_id],
    ).fetchone()
    if not merged:
        return None
    points = merged * POINTS_PER_MERGED_EVALUATION
    return ContributorStanding(name, True, merged, submitted, points, badge_for(merged))
