"""Analyses in the database: one table for uploaded traces and hosted runs."""

from typing import Any

import msgspec

from viva.analyses.model import AnalysisChoices, AnalysisRun, FinishedAnalysis, Subject
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many, one
from viva.traces.reading import make_storable, open_content

NOT_FINISHED = "The analysis could not be finished."  # the reason of the job may reveal internals of the hub
# Until it is finished, an analysis is as far as its job.
RUN_COLUMNS = f"""
    a.id, a.subject_kind, a.subject_id, a.options,
    CASE WHEN a.status = 'waiting' AND j.status IN ('running', 'failed') THEN j.status ELSE a.status END AS status,
    coalesce(a.reason, CASE WHEN a.status = 'waiting' AND j.status = 'failed' THEN '{NOT_FINISHED}' END) AS reason,
    a.requested_at, a.finished_at, a.engine_version, a.turns, a.turns_done,
    a.overall_score, a.task_completion, a.bad_responses, a.issues_count
"""
RUNS = f"SELECT {RUN_COLUMNS} FROM analyses a LEFT JOIN jobs j ON j.id = a.job_id"
NEWEST_DONE = "WHERE a.subject_kind = ? AND a.subject_id = ? AND a.status = 'done' ORDER BY a.id DESC LIMIT 1"


class NoSuchAnalysis(NotFound):
    """There is no analysis with this id."""


class NotAnalysed(Conflict):
    """This analysis is not done yet."""


def add(
    db: Connection, analysis_id: str, subject: Subject, choices: AnalysisChoices, turns: int, job_id: str | None
) -> None:
    """Add an analysis that waits for its job."""
    db.execute(
        """
        INSERT INTO analyses (id, subject_kind, subject_id, options, status, job_id, requested_at, turns, turns_done)
        VALUES (?, ?, ?, ?, 'waiting', ?, ?, ?, 0)
        """,
        [analysis_id, *subject, msgspec.json.encode(choices).decode(), job_id, now(), turns],
    )


def add_finished(db: Connection, subject: Subject, choices: AnalysisChoices, found: FinishedAnalysis) -> str:
    """Add an analysis that is done already. Returns its id."""
    analysis_id = new_id("analysis")
    add(db, analysis_id, subject, choices, found.turns, None)
    finish(db, analysis_id, found)
    return analysis_id


def finish(db: Connection, analysis_id: str, found: FinishedAnalysis) -> bool:
    """Store what was found. False if the analysis was deleted meanwhile, or is finished already."""
    finished = db.execute(
        """
        UPDATE analyses SET status = 'done', finished_at = :at, engine_version = :engine_version, turns = :turns,
            turns_done = :turns, overall_score = :overall_score, task_completion = :task_completion,
            bad_responses = :bad_responses, issues_count = :issues_count, content = :content, reason = NULL
        WHERE id = :id AND status = 'waiting'
        """,
        {"id": analysis_id, "at": now(), **scalars_of(found)},
    )
    if not finished.rowcount:
        return False
    for agent in found.agents:
        values = msgspec.structs.asdict(agent)
        db.execute(
            """
            INSERT INTO analysis_agents (analysis_id, agent_id, name, role, overall, tool_use, reasoning, handoff,
                response_quality, interactions)
            VALUES (:id, :agent_id, :name, :role, :overall, :tool_use, :reasoning, :handoff, :response_quality,
                :interactions)
            """,
            {"id": analysis_id, **{name: storable(value) for name, value in values.items()}},
        )
    for finding in found.findings:
        db.execute(
            """
            INSERT INTO analysis_findings (analysis_id, kind, severity, agent_id, occurrences)
            VALUES (?, ?, ?, ?, ?)
            """,
            [analysis_id, finding.kind, finding.severity, make_storable(finding.agent_id), finding.occurrences],
        )
    db.notify(analysis_id)
    return True


def scalars_of(found: FinishedAnalysis) -> dict[str, Any]:
    return {name: value for name, value in found._asdict().items() if name not in ("agents", "findings")}


def storable(value: Any) -> Any:
    return make_storable(value) if isinstance(value, str) else value


def fail(db: Connection, analysis_id: str, reason: str) -> None:
    db.execute(
        "UPDATE analyses SET status = 'failed', finished_at = ?, reason = ? WHERE id = ? AND status = 'waiting'",
        [now(), make_storable(reason), analysis_id],
    )
    db.notify(analysis_id)


def note_progress(db: Connection, analysis_id: str, turns_done: int) -> None:
    sql = "UPDATE analyses SET turns_done = ? WHERE id = ? AND status = 'waiting' AND turns_done < ?"
    db.execute(sql, [turns_done, analysis_id, turns_done])
    db.notify(analysis_id)


def get(db: Connection, analysis_id: str) -> AnalysisRun:
    return one(AnalysisRun, db.execute(f"{RUNS} WHERE a.id = ?", [analysis_id]), NoSuchAnalysis)


def find_newest(db: Connection, subject: Subject) -> AnalysisRun | None:
    """The newest analysis of a subject that is done."""
    return find(AnalysisRun, db.execute(f"{RUNS} {NEWEST_DONE}", subject))


def find_newest_json(db: Connection, subject: Subject) -> bytes | None:
    """The newest analysis of a subject in JSON; None if none is done."""
    row = db.execute(f"SELECT a.content FROM analyses a {NEWEST_DONE}", subject).fetchone()
    return None if row is None else open_content(bytes(row[0]))


def list_runs(db: Connection, subject: Subject, limit: int, cursor: str | None) -> Page[AnalysisRun]:
    """The analyses of a subject, newest first."""
    values: dict[str, Any] = {"kind": subject.kind, "id": subject.id, "limit": limit + 1}
    before = "TRUE"
    if cursor:
        (values["before"],) = read_cursor(cursor, tuple[str])
        before = "a.id < :before"
    rows = db.execute(
        f"""
        {RUNS} WHERE a.subject_kind = :kind AND a.subject_id = :id AND {before} ORDER BY a.id DESC LIMIT :limit
        """,
        values,
    )
    return page(many(AnalysisRun, rows), limit, lambda run: (run.id,))


def forget_oldest(db: Connection, subject: Subject, kept: int) -> None:
    """Delete finished analyses of a subject, except for the newest ones and the one whose score lists show."""
    newest = (
        "SELECT id FROM analyses WHERE subject_kind = :kind AND subject_id = :id ORDER BY id DESC LIMIT 1 OFFSET :kept"
    )
    db.execute(
        f"""
        DELETE FROM analyses
        WHERE subject_kind = :kind AND subject_id = :id AND status <> 'waiting' AND id <= ({newest})
            AND NOT EXISTS (SELECT 1 FROM traces WHERE traces.id = :id AND traces.analysis_id = analyses.id)
        """,
        {"kind": subject.kind, "id": subject.id, "kept": kept},
    )


def count_waiting(db: Connection, subject: Subject) -> int:
    sql = "SELECT count(*) FROM analyses WHERE subject_kind = ? AND subject_id = ? AND status = 'waiting'"
    return int(db.execute(sql, subject).fetchone()[0])


def find_json(db: Connection, analysis_id: str) -> bytes | None:
    """The analysis in JSON, as the engine gave it; None until it is done."""
    row = db.execute("SELECT content FROM analyses WHERE id = ?", [analysis_id]).fetchone()
    return None if row is None or row[0] is None else open_content(bytes(row[0]))


def read_json(db: Connection, analysis_id: str) -> bytes:
    found = find_json(db, analysis_id)
    if found is None:
        raise NotAnalysed()
    return found
