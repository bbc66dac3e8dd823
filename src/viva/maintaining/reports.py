"""Reports in the database: what somebody reported, and what a maintainer answered."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.deleted import name_of
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many, one

ReportedSubject = Literal["message", "result", "agent", "trace", "contribution"]
ReportStatus = Literal["open", "upheld", "dismissed"]
MAX_REPORTS_COUNTED = 1_000


class ReportedAlready(Conflict):
    """You have reported this already. A maintainer will answer."""


class NoSuchReport(NotFound):
    """There is no report with this id."""


class AnsweredAlready(Conflict):
    """This report is answered already."""


class FiledReport(Struct, frozen=True):
    """`author_id` is the account that the report is about, if there is one."""

    id: str
    reporter_id: str
    reporter_name: str
    subject_type: ReportedSubject
    subject_id: str
    author_id: str | None
    author_name: str | None
    reason: str
    status: ReportStatus
    note: str | None
    reported_at: datetime
    answered_at: datetime | None
    answered_by: str | None


REPORTS = f"""
    SELECT r.id, r.reporter_id, {name_of("a")} AS reporter_name, r.subject_type, r.subject_id, r.author_id,
        b.name AS author_name, r.reason, r.status, r.note, r.reported_at, r.answered_at, r.answered_by
    FROM reports r JOIN agents a ON a.id = r.reporter_id LEFT JOIN agents b ON b.id = r.author_id
"""


def add(
    db: Connection,
    reporter_id: str,
    subject_type: ReportedSubject,
    subject_id: str,
    author_id: str | None,
    reason: str,
) -> FiledReport:
    report_id = new_id("report")
    with refusing({"reports_reporter_id_subject_type_subject_id_key": ReportedAlready}):
        db.execute(
            """
            INSERT INTO reports (id, reporter_id, subject_type, subject_id, author_id, reason, reported_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [report_id, reporter_id, subject_type, subject_id, author_id, reason, now()],
        )
    return get(db, report_id)


def get(db: Connection, report_id: str) -> FiledReport:
    return one(FiledReport, db.execute(f"{REPORTS} WHERE r.id = ?", [report_id]), NoSuchReport)


def answer(db: Connection, report_id: str, status: ReportStatus, note: str, by: str | None) -> FiledReport:
    """Answer an open report. Of two maintainers who answer at once, one succeeds."""
    changed = db.execute(
        "UPDATE reports SET status = ?, note = ?, answered_by = ?, answered_at = ? WHERE id = ? AND status = 'open'",
        [status, note, by, now(), report_id],
    )
    report = get(db, report_id)
    if changed.rowcount != 1:
        raise AnsweredAlready()
    return report


def list_reports(
    db: Connection, status: str, subject_type: str | None, limit: int, cursor: str | None = None
) -> Page[FiledReport]:
    """Reports with this status, the longest waiting first."""
    conditions, values = ["r.status = :status"], {"status": status, "limit": limit + 1}
    if subject_type:
        conditions.append("r.subject_type = :type")
        values["type"] = subject_type
    if cursor:
        at, report_id = read_cursor(cursor, tuple[datetime, str])
        conditions.append("(r.reported_at, r.id) > (:at, :id)")
        values |= {"at": at, "id": report_id}
    sql = f"{REPORTS} WHERE {' AND '.join(conditions)} ORDER BY r.reported_at, r.id LIMIT :limit"
    return page(many(FiledReport, db.execute(sql, values)), limit, lambda report: (report.reported_at, report.id))


def count_open(db: Connection) -> int:
    """The number of open reports, counted up to a limit."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM reports WHERE status = 'open' LIMIT ?) counted"
    (number,) = db.execute(sql, [MAX_REPORTS_COUNTED]).fetchone()
    return int(number)
