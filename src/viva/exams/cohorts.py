"""Cohorts of class work in the database."""

from datetime import datetime

import msgspec

from viva.evaluations.configs import ClassConfig
from viva.evaluations.model import Evaluation
from viva.exams import class_tasks
from viva.exams.model import Cohort
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import Cursor, find, many, one

COHORT_COLUMNS = ", ".join(Cohort.__struct_fields__)


class NoSuchCohort(NotFound):
    """There is no cohort with this id in this evaluation."""


def add(
    db: Connection, evaluation: Evaluation, opened_by: str, instructor_id: str | None, participant_count: int
) -> Cohort:
    """Add an open cohort. Its evaluation version and digest are fixed from now on."""
    config = msgspec.convert(evaluation.config, ClassConfig)
    cohort = Cohort(
        new_id("eval_cohort"),
        evaluation.id,
        evaluation.version,
        evaluation.digest,
        "open",
        config.min_participants,
        config.max_participants,
        participant_count,
        instructor_id,
        opened_by,
        None,
        now(),
        None,
        None,
        None,
    )
    placeholders = ", ".join(f":{name}" for name in Cohort.__struct_fields__)
    db.execute(
        f"INSERT INTO evaluation_cohorts ({COHORT_COLUMNS}) VALUES ({placeholders})", msgspec.structs.asdict(cohort)
    )
    class_tasks.draw_task(db, evaluation, cohort)
    return cohort


def get(db: Connection, evaluation_id: str, cohort_id: str) -> Cohort:
    return read_one(
        db.execute(
            f"SELECT {COHORT_COLUMNS} FROM evaluation_cohorts WHERE id = ? AND evaluation_id = ?",
            [cohort_id, evaluation_id],
        )
    )


def get_by_id(db: Connection, cohort_id: str) -> Cohort:
    return read_one(db.execute(f"SELECT {COHORT_COLUMNS} FROM evaluation_cohorts WHERE id = ?", [cohort_id]))


def find_of_session(db: Connection, session_id: str) -> Cohort | None:
    return find(
        Cohort, db.execute(f"SELECT {COHORT_COLUMNS} FROM evaluation_cohorts WHERE session_id = ?", [session_id])
    )


def hold(db: Connection, evaluation_id: str, cohort_id: str) -> Cohort:
    """The cohort, locked until commit, so that joining, leaving, starting and finishing are serialized."""
    return read_one(
        db.execute(
            f"UPDATE evaluation_cohorts SET status = status WHERE id = ? AND evaluation_id = ? RETURNING {COHORT_COLUMNS}",
            [cohort_id, evaluation_id],
        )
    )


def read_one(cursor: Cursor) -> Cohort:
    return one(Cohort, cursor, NoSuchCohort)


def find_of(db: Connection, registration_id: str) -> Cohort | None:
    """The cohort that the registration joined, even if it has left since."""
    return find(
        Cohort,
        db.execute(
            f"""
            SELECT {COHORT_COLUMNS} FROM evaluation_cohorts
            WHERE id = (SELECT cohort_id FROM evaluation_cohort_members WHERE registration_id = ?)
            """,
            [registration_id],
        ),
    )


def hold_of(db: Connection, registration_id: str) -> Cohort | None:
    """The cohort that the registration joined, locked until commit."""
    return find(
        Cohort,
        db.execute(
            f"""
            UPDATE evaluation_cohorts SET status = status
            WHERE id = (SELECT cohort_id FROM evaluation_cohort_members WHERE registration_id = ?) RETURNING {COHORT_COLUMNS}
            """,
            [registration_id],
        ),
    )


def has_part_in(db: Connection, cohort_id: str, agent_id: str) -> bool:
    """Whether the agent opened the class, instructs it, or was ever in it."""
    row = db.execute(
        """
        SELECT 1 WHERE EXISTS (SELECT 1 FROM evaluation_cohorts
                WHERE id = :cohort_id AND :agent_id IN (opened_by_agent_id, instructor_agent_id))
            OR EXISTS (SELECT 1 FROM evaluation_cohort_members
                WHERE cohort_id = :cohort_id AND agent_id = :agent_id)
        """,
        {"cohort_id": cohort_id, "agent_id": agent_id},
    ).fetchone()
    return row is not None


def hold_openings(db: Connection, evaluation_id: str) -> None:
    """Serialize agents that look for a cohort, so that each finds the cohort the previous one opened."""
    db.execute("UPDATE evaluation_definitions SET status = status WHERE id = ?", [evaluation_id])


def count_open(db: Connection, evaluation_id: str, opened_by: str) -> int:
    return int(
        db.execute(
            """
            SELECT count(*) FROM evaluation_cohorts
            WHERE evaluation_id = ? AND status = 'open' AND opened_by_agent_id = ?
            """,
            [evaluation_id, opened_by],
        ).fetchone()[0]
    )


def find_oldest_with_room(db: Connection, evaluation_id: str, agent_id: str) -> str | None:
    """The id of the open cohort that has waited longest and that the agent does not lead."""
    row = db.execute(
        """
        SELECT id FROM evaluation_cohorts
        WHERE evaluation_id = ? AND status = 'open' AND participant_count < max_participants
            AND coalesce(instructor_agent_id, '') <> ?
        ORDER BY opened_at, id LIMIT 1
        """,
        [evaluation_id, agent_id],
    ).fetchone()
    return None if row is None else str(row[0])


def take_seat(db: Connection, cohort_id: str) -> Cohort | None:
    """Take one seat; None if the cohort is full or not open. Of two agents for the last seat, one gets it."""
    return find(
        Cohort,
        db.execute(
            f"""
            UPDATE evaluation_cohorts SET participant_count = participant_count + 1
            WHERE id = ? AND status = 'open' AND participant_count < max_participants RETURNING {COHORT_COLUMNS}
            """,
            [cohort_id],
        ),
    )


def give_seat_back(db: Connection, cohort_id: str) -> None:
    db.execute("UPDATE evaluation_cohorts SET participant_count = participant_count - 1 WHERE id = ?", [cohort_id])


def begin(db: Connection, cohort_id: str, session_id: str, ends_at: datetime) -> Cohort:
    return read_one(
        db.execute(
            f"""
            UPDATE evaluation_cohorts SET status = 'running', session_id = ?, started_at = ?, ends_at = ?
            WHERE id = ? AND status = 'open' RETURNING {COHORT_COLUMNS}
            """,
            [session_id, now(), ends_at, cohort_id],
        )
    )


def end(db: Connection, cohort_id: str, status: str) -> Cohort:
    """Set the status to finished or cancelled."""
    return read_one(
        db.execute(
            f"""
            UPDATE evaluation_cohorts SET status = ?, ended_at = ?
            WHERE id = ? AND status IN ('open', 'running') RETURNING {COHORT_COLUMNS}
            """,
            [status, now(), cohort_id],
        )
    )


def is_decided(db: Connection, session_id: str) -> bool:
    """Whether any participant has a result from the class held in this session."""
    row = db.execute(
        """
        SELECT 1 FROM evaluation_cohorts c JOIN evaluation_cohort_members m ON m.cohort_id = c.id
            JOIN evaluation_results r ON r.registration_id = m.registration_id
        WHERE c.session_id = ? LIMIT 1
        """,
        [session_id],
    ).fetchone()
    return row is not None


def list_cohorts(
    db: Connection, evaluation_id: str, status: str | None, limit: int, cursor: str | None
) -> Page[Cohort]:
    """The cohorts of the evaluation, newest first."""
    conditions = ["evaluation_id = :evaluation_id"]
    values: dict[str, object] = {"evaluation_id": evaluation_id, "limit": limit + 1}
    if status:
        conditions.append("status = :status")
        values["status"] = status
    if cursor:
        (values["after"],) = read_cursor(cursor, tuple[str])
        conditions.append("id < :after")
    rows = db.execute(
        f"SELECT {COHORT_COLUMNS} FROM evaluation_cohorts WHERE {' AND '.join(conditions)} ORDER BY id DESC LIMIT :limit",
        values,
    )
    return page(many(Cohort, rows), limit, lambda cohort: (cohort.id,))


def list_overdue(db: Connection, opened_before: datetime, limit: int) -> list[Cohort]:
    """Running cohorts whose time is over, and open ones that have waited too long.

    Account deletion locks cohorts in the same order, so that no deadlock is possible."""
    return many(
        Cohort,
        db.execute(
            f"""
            SELECT {COHORT_COLUMNS} FROM evaluation_cohorts
            WHERE status IN ('open', 'running')
                AND ((status = 'running' AND ends_at <= ?) OR (status = 'open' AND opened_at < ?))
            ORDER BY evaluation_id, id LIMIT ?
            """,
            [now(), opened_before, limit],
        ),
    )
