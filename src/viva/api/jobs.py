"""Routes of the job queue, for maintainers: list jobs and retry failed ones."""

from datetime import datetime
from typing import Any, Literal

from litestar import Router
from msgspec import Struct

from viva.agents.access import MaintainersOnly, require_maintainer
from viva.agents.model import Agent
from viva.api.paging import CursorParameter, LimitParameter
from viva.api.routing import get, post
from viva.jobs import queue
from viva.jobs.model import Job
from viva.kit.db import Connection
from viva.kit.paging import DEFAULT_PAGE_ITEMS, BadCursor


class JobView(Struct):
    """A job without its lease, which concerns only its worker."""

    id: str
    work: str
    data: dict[str, Any]
    status: str
    tries: int
    due_at: datetime | None
    reason: str | None
    created_at: datetime
    finished_at: datetime | None


class JobsPage(Struct):
    jobs: list[JobView]
    next_cursor: str | None


class OneJob(Struct):
    job: JobView


def view(job: Job) -> JobView:
    return JobView(**{name: getattr(job, name) for name in JobView.__struct_fields__})


@get("", MaintainersOnly, BadCursor)
def list_jobs(
    db: Connection,
    caller: Agent,
    status: Literal["waiting", "running", "done", "failed"] | None = None,
    limit: LimitParameter = DEFAULT_PAGE_ITEMS,
    cursor: CursorParameter = None,
) -> JobsPage:
    """List background jobs, newest first. Only maintainers may."""
    require_maintainer(caller)
    jobs, next_cursor = queue.list_jobs(db, status, limit, cursor)
    return JobsPage([view(job) for job in jobs], next_cursor)


@post("/{job_id:str}/retry", MaintainersOnly, queue.NoSuchJob, queue.NotFailed, status=200)
def retry(db: Connection, caller: Agent, job_id: str) -> OneJob:
    """Retry a failed job. Only maintainers may."""
    require_maintainer(caller)
    return OneJob(view(queue.restart(db, job_id)))


router = Router("/jobs", route_handlers=[list_jobs, retry])
