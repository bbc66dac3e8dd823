"""The waiting list for proctors, longest waiting first: candidates to claim and sheets to mark."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many

# Whether the sheet `s` belongs to a cohort with at least one participant who was not deleted.
COHORT_HAS_CANDIDATES = """EXISTS (
    SELECT 1 FROM evaluation_cohort_members c JOIN evaluation_registrations o ON o.id = c.registration_id
    WHERE c.cohort_id = s.cohort_id AND o.status = 'in_progress'
)"""
# Which evaluations `e` are listed, by whether drafts are included.
DRAFT_CONDITION = {False: "e.status <> 'draft'", True: "TRUE"}


class WaitingCandidate(Struct, frozen=True):
    """A candidate who has started and has no proctor."""

    registration_id: str
    candidate_agent_id: str
    candidate_name: str
    candidate_description: str
    evaluation_version: str
    started_at: datetime


class Candidate(WaitingCandidate, frozen=True):
    """A waiting candidate of any evaluation."""

    evaluation_id: str
    evaluation_name: str


class UnmarkedSheet(Struct, frozen=True):
    """A sheet of one candidate or of a cohort that waits for a proctor."""

    sheet_id: str
    registration_id: str | None
    cohort_id: str | None
    candidate_agent_id: str | None
    candidate_name: str | None
    opened_at: datetime
    markings: int


class AwaitedSheet(Struct, frozen=True):
    """A sheet to mark; `subject_id` is a registration or a cohort, which has no single candidate."""

    evaluation_id: str
    evaluation_name: str
    subject_id: str
    candidate_name: str | None
    since: datetime
    markings: int


def list_candidates(
    db: Connection, evaluation_id: str, silent_since: datetime, limit: int, cursor: str | None
) -> Page[WaitingCandidate]:
    """Candidates without a proctor, longest waiting first. Claims silent since `silent_since` do not count."""
    conditions = [
        "r.evaluation_id = :evaluation_id",
        "r.status = 'in_progress'",
        "(s.id IS NULL OR s.active_at < :silent_since)",
    ]
    values: dict[str, object] = {"evaluation_id": evaluation_id, "silent_since": silent_since, "limit": limit + 1}
    if cursor:
        values["after"], values["after_id"] = read_cursor(cursor, tuple[datetime, str])
        conditions.append("(r.started_at, r.id) > (:after, :after_id)")
    rows = db.execute(
        f"""
        SELECT r.id AS registration_id, a.id AS candidate_agent_id, a.name AS candidate_name,
            a.description AS candidate_description, r.evaluation_version, r.started_at
        FROM evaluation_registrations r JOIN agents a ON a.id = r.agent_id
            LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
        WHERE {" AND ".join(conditions)} ORDER BY r.started_at, r.id LIMIT :limit
        """,
        values,
    )
    return page(many(WaitingCandidate, rows), limit, lambda row: (row.started_at, row.registration_id))


def list_sheets(db: Connection, evaluation_id: str, limit: int, cursor: str | None) -> Page[UnmarkedSheet]:
    """Sheets that wait for a proctor's marks, longest waiting first."""
    values: dict[str, object] = {"evaluation_id": evaluation_id, "limit": limit + 1}
    after = ""
    if cursor:
        values["after"], values["after_id"] = read_cursor(cursor, tuple[datetime, str])
        after = "AND (s.opened_at, s.id) > (:after, :after_id)"
    rows = db.execute(
        f"""
        SELECT s.id AS sheet_id, s.registration_id, s.cohort_id, r.agent_id AS candidate_agent_id,
            CASE WHEN r.id IS NOT NULL THEN {name_of("a")} END AS candidate_name,
            s.opened_at, (SELECT count(*) FROM evaluation_markings m
                WHERE m.sheet_id = s.id AND m.kind = 'proctor') AS markings
        FROM evaluation_sheets s LEFT JOIN evaluation_registrations r ON r.id = s.registration_id
            LEFT JOIN agents a ON a.id = r.agent_id
        WHERE s.evaluation_id = :evaluation_id AND s.status = 'proctors' {after}
            AND (r.status = 'in_progress' OR {COHORT_HAS_CANDIDATES})
        ORDER BY s.opened_at, s.id LIMIT :limit
        """,
        values,
    )
    return page(many(UnmarkedSheet, rows), limit, lambda row: (row.opened_at, row.sheet_id))


def list_sheets_to_mark(db: Connection, proctor_id: str, limit: int, with_drafts: bool = False) -> list[AwaitedSheet]:
    """Sheets that this proctor may mark and has not marked yet."""
    rows = db.execute(
        f"""
        SELECT s.evaluation_id, e.name AS evaluation_name, coalesce(s.registration_id, s.cohort_id) AS subject_id,
            a.name AS candidate_name, s.opened_at AS since,
            (SELECT count(*) FROM evaluation_markings m WHERE m.sheet_id = s.id AND m.kind = 'proctor') AS markings
        FROM evaluation_sheets s JOIN evaluation_definitions e ON e.id = s.evaluation_id
            LEFT JOIN evaluation_registrations r ON r.id = s.registration_id LEFT JOIN agents a ON a.id = r.agent_id
        WHERE s.status = 'proctors' AND {DRAFT_CONDITION[with_drafts]} AND ((r.status = 'in_progress' AND r.agent_id <> :proctor_id) OR {COHORT_HAS_CANDIDATES})
            AND NOT EXISTS (SELECT 1 FROM evaluation_markings m WHERE m.sheet_id = s.id AND m.marker = :proctor_id)
            AND NOT EXISTS (SELECT 1 FROM evaluation_cohort_members c
                WHERE c.cohort_id = s.cohort_id AND c.agent_id = :proctor_id)
        ORDER BY s.opened_at, s.id LIMIT :limit
        """,
        {"proctor_id": proctor_id, "limit": limit},
    )
    return many(AwaitedSheet, rows)


def list_candidates_to_claim(
    db: Connection,
    proctor_id: str,
    silent_since: datetime,
    own_silences: Mapping[str, datetime],
    limit: int,
    with_drafts: bool = False,
) -> list[Candidate]:
    """Candidates without a proctor, except the proctor itself, longest waiting first.

    Claims silent since `silent_since` do not count; `own_silences` has other moments for some evaluations."""
    own = [value for pair in own_silences.items() for value in pair]
    moment = f"CASE r.evaluation_id {'WHEN ? THEN ? ' * len(own_silences)}ELSE ? END" if own else "?"
    rows = db.execute(
        f"""
        SELECT r.id AS registration_id, a.id AS candidate_agent_id, a.name AS candidate_name,
            a.description AS candidate_description, r.evaluation_version, r.started_at, r.evaluation_id,
            coalesce(e.title, e.name) AS evaluation_name
        FROM evaluation_registrations r CROSS JOIN evaluation_definitions e CROSS JOIN agents a
            LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
        WHERE r.status = 'in_progress' AND e.id = r.evaluation_id AND e.type = 'proctored' AND a.id = r.agent_id
            AND {DRAFT_CONDITION[with_drafts]} AND r.agent_id <> ? AND (s.id IS NULL OR s.active_at < {moment})
        ORDER BY r.started_at, r.id LIMIT ?
        """,
        [proctor_id, *own, silent_since, limit],
    )
    return many(Candidate, rows)
