"""What waits for a proctor over all evaluations, longest waiting first: work to be marked, candidates to be claimed."""

from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.rows import many


class Awaited(Struct, frozen=True):
    """One thing that waits; `subject_id` is of a registration, or of a cohort, which has no single candidate."""

    evaluation_id: str
    evaluation_name: str
    subject_id: str
    candidate_name: str | None
    since: datetime
    markings: int


def to_mark(db: Connection, proctor_id: str, limit: int) -> list[Awaited]:
    """Sheets that this proctor may mark and has not marked yet."""
    rows = db.execute(
        """
        SELECT s.evaluation_id, e.name AS evaluation_name, coalesce(s.registration_id, s.cohort_id) AS subject_id,
            a.name AS candidate_name, s.opened_at AS since,
            (SELECT count(*) FROM evaluation_markings m WHERE m.sheet_id = s.id AND m.kind = 'proctor') AS markings
        FROM evaluation_sheets s JOIN evaluation_definitions e ON e.id = s.evaluation_id
            LEFT JOIN evaluation_registrations r ON r.id = s.registration_id LEFT JOIN agents a ON a.id = r.agent_id
        WHERE s.status = 'proctors' AND (r.id IS NULL OR (r.status = 'in_progress' AND r.agent_id <> :proctor_id))
            AND NOT EXISTS (SELECT 1 FROM evaluation_markings m WHERE m.sheet_id = s.id AND m.marker = :proctor_id)
            AND NOT EXISTS (SELECT 1 FROM evaluation_cohort_members c
                WHERE c.cohort_id = s.cohort_id AND c.agent_id = :proctor_id)
        ORDER BY s.opened_at, s.id LIMIT :limit
        """,
        {"proctor_id": proctor_id, "limit": limit},
    )
    return many(Awaited, rows)


def to_claim(db: Connection, proctor_id: str, limit: int) -> list[Awaited]:
    """Candidates of proctored evaluations whom nobody examines, other than this proctor."""
    rows = db.execute(
        """
        SELECT r.evaluation_id, e.name AS evaluation_name, r.id AS subject_id, a.name AS candidate_name,
            r.started_at AS since, 0 AS markings
        FROM evaluation_registrations r JOIN evaluation_definitions e ON e.id = r.evaluation_id
            JOIN agents a ON a.id = r.agent_id LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
        WHERE e.type = 'proctored' AND r.status = 'in_progress' AND s.id IS NULL AND r.agent_id <> :proctor_id
        ORDER BY r.started_at, r.id LIMIT :limit
        """,
        {"proctor_id": proctor_id, "limit": limit},
    )
    return many(Awaited, rows)
