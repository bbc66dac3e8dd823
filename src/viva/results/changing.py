"""Changing a result after a second reading. What it said before stays with the reading."""

import msgspec

from viva.kit.db import Connection
from viva.results import statements, store, subtracting, sums
from viva.results.model import Result
from viva.results.second_readings import BlindVerdict, ReadingCause
from viva.results.statements import StatementReason

REASONS: dict[ReadingCause, StatementReason] = {"draw": "second_reading", "appeal": "appeal"}


def change_result(db: Connection, result: Result, verdict: BlindVerdict, points: float, cause: ReadingCause) -> None:
    """Give the result the verdict, correct the sums and the agent's points, and sign what the result says now."""
    db.execute(
        """
        UPDATE evaluation_results SET passed = ?, score = ?, max_score = ?, points_earned = ?, result_data = ?,
            proctor_feedback = ?
        WHERE id = ?
        """,
        [
            verdict.passed,
            verdict.score,
            verdict.max_score,
            points,
            None if verdict.result_data is None else msgspec.json.encode(verdict.result_data).decode(),
            verdict.feedback,
            result.id,
        ],
    )
    changed = store.get(db, result.id)
    subtracting.subtract(db, result)
    sums.add(db, changed)
    db.execute(f"{sums.RECOUNT_AGENT} WHERE id = ?", [result.agent_id])
    statements.state(db, changed, REASONS[cause])
