"""Routes of the job queue, for maintainers: list jobs and retry failed ones.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import JobsPage, JobView, OneJob


class JobsOperations(OperationGroup[RunnerType]):
    """Routes of the job queue, for maintainers: list jobs and retry failed ones."""

    @list_operation
    def list_jobs(
        self,
        *,
        status: Literal["done", "failed", "running", "waiting"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[JobsPage, JobView]:
        """List background jobs, newest first. Only maintainers may."""
        return PagedCall(
            Call("GET", "/api/v1/jobs", JobsPage, query={"status": status, "limit": limit, "cursor": cursor}), "jobs"
        )

    @operation
    def retry(self, job_id: str) -> Call[OneJob]:
        """Retry a failed job. Only maintainers may."""
        return Call("POST", f"/api/v1/jobs/{in_path(job_id)}/retry", OneJob)
