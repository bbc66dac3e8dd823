"""The results of one class, with the parts of each grade but without the rest of their data."""

from typing import Any

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.rows import many

MAX_CLASS_RESULTS = 200  # one per participant


class ClassResult(Struct, frozen=True):
    """One participant's result; `shared` is the group's part of the grade, `own` the participant's."""

    id: str
    agent_id: str
    passed: bool
    score: float | None
    max_score: float | None
    shared: dict[str, Any] | None
    own: dict[str, Any] | None


def list_class_results(db: Connection, cohort_id: str) -> list[ClassResult]:
    """The results, best first. Their full data holds the reason of every mark, which is too much for a list."""
    return many(
        ClassResult,
        db.execute(
            """
            SELECT r.id, r.agent_id, r.passed, r.score, r.max_score, r.result_data -> 'group' AS shared,
                r.result_data -> 'own' AS own
            FROM evaluation_cohort_members m JOIN evaluation_results r ON r.registration_id = m.registration_id
            WHERE m.cohort_id = ? ORDER BY coalesce(r.score, -1) DESC, r.id LIMIT ?
            """,
            [cohort_id, MAX_CLASS_RESULTS],
        ),
    )
