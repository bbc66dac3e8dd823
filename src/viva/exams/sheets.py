"""Sheets in the database, and the marks on them."""

from collections.abc import Iterable, Sequence

import msgspec

from viva.exams.model import Mark, Marking, Sheet, SheetRow
from viva.exams.sheet_rows import store_rows
from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.rows import many, one

SHEET_COLUMNS = ", ".join(Sheet.__struct_fields__)
MARK_COLUMNS = ", ".join(Mark.__struct_fields__)


class NothingToMark(NotFound):
    """There is nothing here to mark."""


class MarkedAlready(Conflict):
    """You have already marked this."""


def open_sheet(
    db: Connection,
    evaluation_id: str,
    job_id: str,
    rows: Sequence[SheetRow],
    registration_id: str | None = None,
    cohort_id: str | None = None,
) -> Sheet:
    """Add a sheet with its rows, for the judges."""
    sheet = Sheet(new_id("eval_sheet"), evaluation_id, registration_id, cohort_id, "judges", job_id, now(), None)
    placeholders = ", ".join(f":{name}" for name in Sheet.__struct_fields__)
    db.execute(
        f"INSERT INTO evaluation_sheets ({SHEET_COLUMNS}) VALUES ({placeholders})", msgspec.structs.asdict(sheet)
    )
    store_rows(db, sheet.id, rows)
    return sheet


def get_about(db: Connection, subject_id: str) -> Sheet:
    """The sheet about a registration or a cohort."""
    return one(
        Sheet,
        db.execute(
            f"SELECT {SHEET_COLUMNS} FROM evaluation_sheets WHERE registration_id = ? OR cohort_id = ?",
            [subject_id, subject_id],
        ),
        NothingToMark,
    )


def has_sheet(db: Connection, registration_id: str) -> bool:
    """Whether the registration has a sheet, open or not."""
    row = db.execute("SELECT 1 FROM evaluation_sheets WHERE registration_id = ?", [registration_id]).fetchone()
    return row is not None


def find_job_id(db: Connection, cohort_id: str) -> str | None:
    """The job that marks the cohort's work, once it is finished."""
    row = db.execute("SELECT job_id FROM evaluation_sheets WHERE cohort_id = ?", [cohort_id]).fetchone()
    return None if row is None else str(row[0])


def find_status_of_job(db: Connection, job_id: str) -> str | None:
    """The status of the job's sheet; None if there is no sheet, or nothing on it has to be marked."""
    row = db.execute(
        """
        SELECT status FROM evaluation_sheets s WHERE job_id = ? AND (status <> 'judges' OR texts IS NULL
            OR EXISTS (SELECT 1 FROM evaluation_sheet_rows r WHERE r.sheet_id = s.id))
        """,
        [job_id],
    ).fetchone()
    return None if row is None else str(row[0])


def hold(db: Connection, sheet_id: str) -> Sheet:
    """The sheet, locked until commit, so that markers are serialized."""
    return one(
        Sheet,
        db.execute(f"UPDATE evaluation_sheets SET status = status WHERE id = ? RETURNING {SHEET_COLUMNS}", [sheet_id]),
        NothingToMark,
    )


def give_to_proctors(db: Connection, sheet_id: str) -> None:
    """Let proctors mark the sheet, because there is no judge or no judge could mark it."""
    give_all_to_proctors(db, "id = ?", [sheet_id])


def give_failed_to_proctors(db: Connection) -> int:
    """Let proctors mark the sheets whose job has failed. Returns how many there were."""
    return give_all_to_proctors(db, "job_id IN (SELECT id FROM jobs WHERE status = 'failed')")


def give_all_to_proctors(db: Connection, which: str, params: Sequence[str] = ()) -> int:
    """Whoever waits for these marks reads at once whose they will be."""
    given = db.execute(
        f"""
        UPDATE evaluation_sheets SET status = 'proctors' WHERE status = 'judges' AND {which}
        RETURNING registration_id, cohort_id
        """,
        params,
    ).fetchall()
    for sheet in given:
        candidates = db.execute(
            """
            SELECT agent_id FROM evaluation_registrations WHERE id = ?
            UNION SELECT agent_id FROM evaluation_cohort_members WHERE cohort_id = ? AND left_at IS NULL
            """,
            sheet,
        )
        for (agent_id,) in candidates.fetchall():
            db.notify(agent_id)
    return len(given)


def close(db: Connection, sheet_id: str) -> None:
    db.execute(
        "UPDATE evaluation_sheets SET status = 'closed', closed_at = ? WHERE id = ? AND status <> 'closed'",
        [now(), sheet_id],
    )


def close_of(db: Connection, registration_id: str) -> None:
    """Close the registration's sheet, because its agent is deleted."""
    db.execute(
        "UPDATE evaluation_sheets SET status = 'closed', closed_at = ? WHERE registration_id = ? AND status <> 'closed'",
        [now(), registration_id],
    )


def add_marking(db: Connection, sheet_id: str, marking: Marking) -> None:
    with refusing({"evaluation_markings_sheet_id_marker_key": MarkedAlready}):
        db.execute(
            "INSERT INTO evaluation_markings (sheet_id, marker, kind, feedback, marked_at) VALUES (?, ?, ?, ?, ?)",
            [sheet_id, marking.marker, marking.kind, marking.feedback, now()],
        )


def add_judge(db: Connection, sheet_id: str, model: str) -> None:
    """Add the marking of a judge, unless an earlier try has added it."""
    db.execute(
        """
        INSERT INTO evaluation_markings (sheet_id, marker, kind, marked_at) VALUES (?, ?, 'judge', ?)
        ON CONFLICT (sheet_id, marker) DO NOTHING
        """,
        [sheet_id, model, now()],
    )


def put_marks(db: Connection, sheet_id: str, marks: Iterable[Mark]) -> None:
    """Store marks. A mark that was given stays; a missing one can be given later."""
    for mark in marks:
        values = msgspec.structs.asdict(mark) | {
            "notes": msgspec.json.encode(mark.notes).decode(),
            "sheet_id": sheet_id,
        }
        db.execute(
            f"""
            INSERT INTO evaluation_marks (sheet_id, {MARK_COLUMNS})
            VALUES (:sheet_id, {", ".join(f":{name}" for name in Mark.__struct_fields__)})
            ON CONFLICT (sheet_id, marker, row_id) DO UPDATE
            SET mark = excluded.mark, reason = excluded.reason, quote = excluded.quote, notes = excluded.notes
            WHERE evaluation_marks.mark IS NULL
            """,
            values,
        )


def list_markings(db: Connection, sheet_id: str) -> list[Marking]:
    """The markings, oldest first."""
    return many(
        Marking,
        db.execute(
            "SELECT marker, kind, feedback FROM evaluation_markings WHERE sheet_id = ? ORDER BY marked_at, marker",
            [sheet_id],
        ),
    )


def list_marks(db: Connection, sheet_id: str) -> list[Mark]:
    return many(
        Mark,
        db.execute(
            f"SELECT {MARK_COLUMNS} FROM evaluation_marks WHERE sheet_id = ? ORDER BY marker, row_id", [sheet_id]
        ),
    )
