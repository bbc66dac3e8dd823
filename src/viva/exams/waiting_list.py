"""The waiting list for proctors, longest waiting first: candidates to claim and sheets to mark."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many

# Whether the sheet `s` belongs to a cohort with at least one participant who was not deleted.
COHORT_HAS_CANDIDATES = """EXISTS (
    SELECT 1 FROM evaluation_cohort_members c JOIN evaluation_registrations o ON o.id = c.registration_id
    WHERE c.cohort_id = s.cohort_id AND o.status = 'in_progress'
)"""
# Whether the session `s` of the registration `r` is a claim whose verdict can only be practice, which nobody asked for.
GIVES_WAY = "(NOT s.may_be_official AND NOT r.is_practice)"
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
    is_practice: bool


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
    is_practice: bool


class AwaitedSheet(Struct, frozen=True):
    """A sheet to mark; `subject_id` is a registration or a cohort, which has no single candidate."""

    evaluation_id: str
    evaluation_name: str
    subject_id: str
    candidate_name: str | None
    since: datetime
    markings: int
    candidate_id: str | None
    locked_until: datetime | None  # if the marker has taken it


def list_candidates(
    db: Connection,
    evaluation_id: str,
    silent_since: datetime,
    limit: int,
    cursor: str | None,
    is_qualified: bool = False,
) -> Page[WaitingCandidate]:
    """Candidates without a proctor, longest waiting first. Claims silent since `silent_since` do not count.

    Nor do those that give way to a qualified proctor."""
    conditions = [
        "r.evaluation_id = :evaluation_id",
        "r.status = 'in_progress'",
        f"(s.id IS NULL OR s.active_at < :silent_since OR (:is_qualified AND {GIVES_WAY}))",
    ]
    values: dict[str, object] = {
        "evaluation_id": evaluation_id,
        "silent_since": silent_since,
        "is_qualified": is_qualified,
        "limit": limit + 1,
    }
    if cursor:
        values["after"], values["after_id"] = read_cursor(cursor, tuple[datetime, str])
        conditions.append("(r.started_at, r.id) > (:after, :after_id)")
    rows = db.execute(
        f"""
        SELECT r.id AS registration_id, a.id AS candidate_agent_id, a.name AS candidate_name,
            a.description AS candidate_description, r.evaluation_version, r.started_at, r.is_practice
        FROM evaluation_registrations r JOIN agents a ON a.id = r.agent_id
            LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
        WHERE {" AND ".join(conditions)} ORDER BY r.started_at, r.id LIMIT :limit
        """,
        values,
    )
    return page(many(WaitingCandidate, rows), limit, lambda row: (row.started_at, row.registration_id))


def hold_next(
    db: Connection,
    evaluation_id: str,
    proctor_id: str,
    silent_since: datetime,
    passed_over: Sequence[str],
    is_qualified: bool,
) -> str | None:
    """The registration that has waited longest for a proctor, locked until commit; None if none is free.

    On PostgreSQL, registrations that others hold are skipped."""
    marks = ", ".join("?" for _ in passed_over) or "''"
    row = db.execute(
        f"""
        SELECT r.id FROM evaluation_registrations r
        WHERE r.evaluation_id = ? AND r.status = 'in_progress' AND r.agent_id <> ? AND r.id NOT IN ({marks})
            AND NOT EXISTS (SELECT 1 FROM evaluation_sessions s
                WHERE s.registration_id = r.id AND s.active_at >= ? AND NOT (? AND {GIVES_WAY}))
        ORDER BY r.started_at, r.id LIMIT 1 {db.skip_locked}
        """,
        [evaluation_id, proctor_id, *passed_over, silent_since, is_qualified],
    ).fetchone()
    return None if row is None else str(row[0])


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
                WHERE m.sheet_id = s.id AND m.kind = 'proctor') AS markings,
            coalesce(r.is_practice, FALSE) AS is_practice
        FROM evaluation_sheets s LEFT JOIN evaluation_registrations r ON r.id = s.registration_id
            LEFT JOIN agents a ON a.id = r.agent_id
        WHERE s.evaluation_id = :evaluation_id AND s.status = 'proctors' {after}
            AND (r.status = 'in_progress' OR {COHORT_HAS_CANDIDATES})
        ORDER BY s.opened_at, s.id LIMIT :limit
        """,
        values,
    )
    return page(many(UnmarkedSheet, rows), limit, lambda row: (row.opened_at, row.sheet_id))


class AwaitedReading(Struct, frozen=True):
    """A second reading. Whether it was drawn or appealed for is not told, since that would hint at the verdict."""

    reading_id: str
    evaluation_id: str
    evaluation_name: str
    opened_at: datetime
    locked_until: datetime | None  # if the marker has taken it


class ReadingOfCandidate(AwaitedReading, frozen=True):
    """With the candidate, for the rules. The marker is not told."""

    candidate_id: str


# Whether the marker has no open attempt at the evaluation `s.evaluation_id`, and nobody else marks `s.id` just now.
IS_FREE_FOR_MARKER = """
    NOT EXISTS (SELECT 1 FROM evaluation_registrations o WHERE o.agent_id = :marker_id
        AND o.evaluation_id = s.evaluation_id AND o.status IN ('registered', 'in_progress'))
    AND (SELECT count(*) FROM marking_locks l WHERE l.subject_id = s.id AND l.marker_agent_id <> :marker_id
        AND l.ends_at > :moment) < {places}
"""
OWN_LOCK = """(SELECT l.ends_at FROM marking_locks l
    WHERE l.subject_id = s.id AND l.marker_agent_id = :marker_id AND l.ends_at > :moment)"""


def list_evaluations_to_mark(db: Connection) -> list[str]:
    """Evaluations with sheets or second readings that wait for a marker."""
    rows = db.execute(
        """
        SELECT evaluation_id FROM evaluation_sheets WHERE status = 'proctors'
        UNION SELECT evaluation_id FROM second_readings WHERE status = 'open' ORDER BY 1
        """
    )
    return [evaluation_id for (evaluation_id,) in rows.fetchall()]


def list_readings(
    db: Connection, marker_id: str, evaluation_ids: Sequence[str], limit: int
) -> list[ReadingOfCandidate]:
    """Open second readings in which the marker had no part, longest waiting first."""
    ids = {f"evaluation_{place}": id_ for place, id_ in enumerate(evaluation_ids)}
    if not ids:
        return []
    rows = db.execute(
        f"""
        SELECT s.id AS reading_id, s.evaluation_id, coalesce(e.title, e.name) AS evaluation_name, s.opened_at,
            {OWN_LOCK} AS locked_until, r.agent_id AS candidate_id
        FROM second_readings s JOIN evaluation_definitions e ON e.id = s.evaluation_id
            JOIN evaluation_results r ON r.id = s.result_id
        WHERE s.status = 'open' AND r.voided_at IS NULL AND s.evaluation_id IN ({", ".join(f":{name}" for name in ids)})
            AND NOT EXISTS (SELECT 1 FROM reading_parties p WHERE p.second_reading_id = s.id AND p.agent_id = :marker_id)
            AND NOT EXISTS (SELECT 1 FROM blind_verdicts v
                WHERE v.second_reading_id = s.id AND v.marker_agent_id = :marker_id)
            AND {IS_FREE_FOR_MARKER.format(places=1)}
        ORDER BY s.opened_at, s.id LIMIT :limit
        """,
        ids | {"marker_id": marker_id, "moment": now(), "limit": limit},
    )
    return many(ReadingOfCandidate, rows)


def list_sheets_to_mark(
    db: Connection, marker_id: str, evaluation_ids: Sequence[str], limit: int, with_drafts: bool = False
) -> list[AwaitedSheet]:
    """Sheets that this marker may mark and has not marked yet. Those that others mark just now are left out."""
    ids = {f"evaluation_{place}": id_ for place, id_ in enumerate(evaluation_ids)}
    if not ids:
        return []
    missing = "coalesce(CAST(e.config ->> 'markers' AS INTEGER), 1) - (SELECT count(*) FROM evaluation_markings m WHERE m.sheet_id = s.id AND m.kind = 'proctor')"
    rows = db.execute(
        f"""
        SELECT s.evaluation_id, e.name AS evaluation_name, coalesce(s.registration_id, s.cohort_id) AS subject_id,
            a.name AS candidate_name, s.opened_at AS since,
            (SELECT count(*) FROM evaluation_markings m WHERE m.sheet_id = s.id AND m.kind = 'proctor') AS markings,
            r.agent_id AS candidate_id, {OWN_LOCK} AS locked_until
        FROM evaluation_sheets s JOIN evaluation_definitions e ON e.id = s.evaluation_id
            LEFT JOIN evaluation_registrations r ON r.id = s.registration_id LEFT JOIN agents a ON a.id = r.agent_id
        WHERE s.status = 'proctors' AND {DRAFT_CONDITION[with_drafts]}
            AND s.evaluation_id IN ({", ".join(f":{name}" for name in ids)})
            AND ((r.status = 'in_progress' AND r.agent_id <> :marker_id) OR {COHORT_HAS_CANDIDATES})
            AND NOT EXISTS (SELECT 1 FROM evaluation_markings m WHERE m.sheet_id = s.id AND m.marker = :marker_id)
            AND NOT EXISTS (SELECT 1 FROM evaluation_cohort_members c
                WHERE c.cohort_id = s.cohort_id AND c.agent_id = :marker_id)
            AND NOT EXISTS (SELECT 1 FROM evaluation_cohorts c
                WHERE c.id = s.cohort_id AND :marker_id IN (c.opened_by_agent_id, c.instructor_agent_id))
            AND {IS_FREE_FOR_MARKER.format(places=f"CASE WHEN {missing} > 1 THEN {missing} ELSE 1 END")}
        ORDER BY s.opened_at, s.id LIMIT :limit
        """,
        ids | {"marker_id": marker_id, "moment": now(), "limit": limit},
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

    Claims silent since `silent_since` do not count; `own_silences` has other moments for some evaluations. Nor do those
    that give way to a maintainer or an appointed proctor."""
    own = [value for pair in own_silences.items() for value in pair]
    moment = f"CASE r.evaluation_id {'WHEN ? THEN ? ' * len(own_silences)}ELSE ? END" if own else "?"
    rows = db.execute(
        f"""
        SELECT r.id AS registration_id, a.id AS candidate_agent_id, a.name AS candidate_name,
            a.description AS candidate_description, r.evaluation_version, r.started_at, r.is_practice,
            r.evaluation_id, coalesce(e.title, e.name) AS evaluation_name
        FROM evaluation_registrations r CROSS JOIN evaluation_definitions e CROSS JOIN agents a
            LEFT JOIN evaluation_sessions s ON s.registration_id = r.id
        WHERE r.status = 'in_progress' AND e.id = r.evaluation_id AND e.type = 'proctored' AND a.id = r.agent_id
            AND {DRAFT_CONDITION[with_drafts]} AND r.agent_id <> ? AND (s.id IS NULL OR s.active_at < {moment}
                OR {GIVES_WAY} AND ((SELECT is_maintainer FROM agents WHERE id = ?) OR EXISTS (SELECT 1 FROM proctor_appointments p
                    WHERE p.agent_id = ? AND (p.evaluation_id IS NULL OR p.evaluation_id = r.evaluation_id))))
        ORDER BY r.started_at, r.id LIMIT ?
        """,
        [proctor_id, *own, silent_since, proctor_id, proctor_id, limit],
    )
    return many(Candidate, rows)
