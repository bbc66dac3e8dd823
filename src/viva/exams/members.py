"""The members of cohorts in the database: participants, former participants and instructors."""

from viva.exams import cohorts
from viva.exams.model import Cohort, CohortMember, Registration
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.deleted import name_of
from viva.kit.rows import many

MAX_MEMBERS_SHOWN = 500  # per cohort; those who left come last, because any number of agents may join and leave


def add(db: Connection, cohort: Cohort, registration: Registration) -> None:
    db.execute(
        """
        INSERT INTO evaluation_cohort_members (cohort_id, registration_id, agent_id, evaluation_id, joined_at)
        VALUES (?, ?, ?, ?, ?)
        """,
        [cohort.id, registration.id, registration.agent_id, cohort.evaluation_id, now()],
    )


def drop(db: Connection, cohort_id: str, registration_id: str) -> bool:
    """Set the time at which a participant left. Returns whether it was still present."""
    left = db.execute(
        """
        UPDATE evaluation_cohort_members SET left_at = ?
        WHERE cohort_id = ? AND registration_id = ? AND left_at IS NULL
        """,
        [now(), cohort_id, registration_id],
    ).rowcount
    if left:
        cohorts.give_seat_back(db, cohort_id)
    return left == 1


def list_present(db: Connection, cohort_id: str) -> list[Registration]:
    """The registrations of members who have not left, in the order in which they joined."""
    columns = ", ".join(f"r.{name}" for name in Registration.__struct_fields__)
    return many(
        Registration,
        db.execute(
            f"""
            SELECT {columns} FROM evaluation_cohort_members m JOIN evaluation_registrations r ON r.id = m.registration_id
            WHERE m.cohort_id = ? AND m.left_at IS NULL ORDER BY m.joined_at, m.registration_id
            """,
            [cohort_id],
        ),
    )


def count_speakers(db: Connection, cohort: Cohort) -> int:
    """How many of the present members have sent a message."""
    row = db.execute(
        """
        SELECT count(DISTINCT m.agent_id) FROM evaluation_cohort_members m
            JOIN evaluation_messages said ON said.sender_agent_id = m.agent_id
        WHERE m.cohort_id = ? AND m.left_at IS NULL AND said.session_id = ?
        """,
        [cohort.id, cohort.session_id],
    ).fetchone()
    return int(row[0])


def list_members(db: Connection, cohort: Cohort) -> list[CohortMember]:
    """The instructor, then the participants. An agent that left and joined again is listed once."""
    return many(
        CohortMember,
        db.execute(
            f"""
            SELECT p.agent_id, {name_of("a")} AS name, p.role, p.joined_at, p.left_at FROM (
                SELECT m.agent_id, 'participant' AS role, m.joined_at, m.left_at, m.registration_id,
                    CASE WHEN m.left_at IS NULL THEN 1 ELSE 2 END AS place
                FROM evaluation_cohort_members m WHERE m.cohort_id = :id AND NOT EXISTS
                    (SELECT 1 FROM evaluation_cohort_members later WHERE later.cohort_id = m.cohort_id
                        AND later.agent_id = m.agent_id AND later.joined_at > m.joined_at)
                UNION ALL SELECT instructor_agent_id, 'instructor', opened_at, NULL, '', 0
                FROM evaluation_cohorts WHERE id = :id AND instructor_agent_id IS NOT NULL
            ) p JOIN agents a ON a.id = p.agent_id
            ORDER BY p.place, p.joined_at, p.registration_id LIMIT :limit
            """,
            {"id": cohort.id, "limit": MAX_MEMBERS_SHOWN},
        ),
    )


def is_instructor_here(db: Connection, cohort: Cohort) -> bool:
    """Whether the cohort's instructor still has an account."""
    row = db.execute(
        "SELECT 1 FROM agents WHERE id = ? AND deleted_at IS NULL", [cohort.instructor_agent_id]
    ).fetchone()
    return row is not None


def list_agent_ids(db: Connection, cohort_id: str) -> set[str]:
    """All agents of the cohort: participants, those who left, and the instructor."""
    rows = db.execute(
        """
        SELECT agent_id FROM evaluation_cohort_members WHERE cohort_id = :cohort_id
        UNION SELECT instructor_agent_id FROM evaluation_cohorts WHERE id = :cohort_id AND instructor_agent_id IS NOT NULL
        """,
        {"cohort_id": cohort_id},
    ).fetchall()
    return {agent_id for (agent_id,) in rows}


def find_registration_id(db: Connection, cohort_id: str, agent_id: str) -> str | None:
    """The agent's latest registration in the cohort."""
    row = db.execute(
        """
        SELECT registration_id FROM evaluation_cohort_members WHERE cohort_id = ? AND agent_id = ?
        ORDER BY joined_at DESC LIMIT 1
        """,
        [cohort_id, agent_id],
    ).fetchone()
    return None if row is None else str(row[0])
