"""The progress of the job for an attempt or a class, for the agents it is about."""

from datetime import datetime

from msgspec import Struct

from viva.agents.model import Agent
from viva.exams import attempts, grading, handler_runs, members, sheets, store, visibility
from viva.exams.handlers.contributed import FAILURE_KEY
from viva.jobs import queue
from viva.jobs.model import Job
from viva.kit.db import Connection
from viva.results import store as results

# Who acts next on a sheet, by its status.
WAITING_FOR = {"judges": "judge", "proctors": "proctor"}
HUB_FAULT_REASON = "It was interrupted by a fault of this hub."


class Progress(Struct, frozen=True):
    """`waiting_for` says who acts next: a judge, a proctor, or nobody. `result_id` is set once it is decided."""

    id: str
    status: str
    waiting_for: str | None
    result_id: str | None
    tries: int
    reason: str | None
    created_at: datetime
    finished_at: datetime | None


def get_progress(db: Connection, evaluation_id: str, job_id: str, viewer: Agent) -> Progress:
    """The job, if it is about the viewer's own attempt or class."""
    job = queue.get(db, job_id)
    is_same_evaluation = job.data.get("evaluation_id") == visibility.get_evaluation(db, evaluation_id, viewer).id
    if not is_same_evaluation or not (viewer.is_maintainer or viewer.id in agents_of(db, job)):
        raise queue.NoSuchJob()
    return progress_of(db, job, viewer)


def agents_of(db: Connection, job: Job) -> set[str]:
    """The agents that the job is about."""
    if "cohort_id" in job.data:
        return members.list_agent_ids(db, job.data["cohort_id"])
    return {store.get(db, job.data["registration_id"]).agent_id}


def progress_of(db: Connection, job: Job, viewer: Agent) -> Progress:
    """The job as the viewer sees it. It is not done while a proctor still has to mark."""
    registration_id = job.data.get("registration_id") or members.find_registration_id(
        db, job.data["cohort_id"], viewer.id
    )
    result_id = results.find_id(db, registration_id)
    waiting_for = None if result_id else WAITING_FOR.get(sheets.find_status_of_job(db, job.id) or "")
    status = "waiting" if job.status in ("done", "failed") and waiting_for == "proctor" else job.status
    finished_at = None if status == "waiting" else job.finished_at
    reason = visible_reason(job, viewer) or (why_undecided(db, job) if waiting_for == "proctor" else None)
    return Progress(job.id, status, waiting_for, result_id, job.tries, reason, job.created_at, finished_at)


def why_undecided(db: Connection, job: Job) -> str | None:
    """Why the hub or its judges left the sheet to the proctors."""
    if job.work == handler_runs.RUN_WORK:
        attempt = attempts.find_of(db, job.data["registration_id"])
        return str(attempt.content[FAILURE_KEY]) if attempt else None
    sheet = sheets.get_about(db, job.data.get("registration_id") or job.data["cohort_id"])
    return grading.why_undecided(sheets.list_marks(db, sheet.id))


def find_fetch_failure(db: Connection, registration_id: str, viewer: Agent) -> str | None:
    """Why the page that the attempt named could not be fetched; None if that is not how it ended."""
    row = db.execute(
        "SELECT id FROM jobs WHERE status = 'failed' AND work = 'fetch_proof' AND data ->> 'registration_id' = ?",
        [registration_id],
    ).fetchone()
    return visible_reason(queue.get(db, row[0]), viewer) if row else None


def visible_reason(job: Job, viewer: Agent) -> str | None:
    """Why it failed or waits. Only maintainers see the details of a fault of the hub."""
    is_hub_fault = job.reason is not None and job.reason.startswith(queue.BROKEN_OFF)
    return HUB_FAULT_REASON if is_hub_fault and not viewer.is_maintainer else job.reason
