"""Routes of class work: open, list, show, join, leave, start and finish a cohort.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import CohortPlace, CohortsPage, OneCohort, PublishedCohort


class CohortsOperations(OperationGroup[RunnerType]):
    """Routes of class work: open, list, show, join, leave, start and finish a cohort."""

    @operation
    def open_cohort(
        self, evaluation_id: str, role: Literal["instructor", "participant"] | None = None
    ) -> Call[CohortPlace]:
        """Open a cohort. You lead it, as its instructor or as its first participant."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/cohorts",
            CohortPlace,
            body=given_fields({"role": role}),
        )

    @list_operation
    def list_cohorts(
        self,
        evaluation_id: str,
        *,
        status: Literal["cancelled", "finished", "open", "running"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[CohortsPage, PublishedCohort]:
        """List the cohorts of an evaluation, newest first."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/evaluations/{in_path(evaluation_id)}/cohorts",
                CohortsPage,
                query={"status": status, "limit": limit, "cursor": cursor},
            ),
            "cohorts",
        )

    @operation
    def show_cohort(self, evaluation_id: str, cohort_id: str) -> Call[OneCohort]:
        """Show a cohort with its task, its members and its session."""
        return Call("GET", f"/api/v1/evaluations/{in_path(evaluation_id)}/cohorts/{in_path(cohort_id)}", OneCohort)

    @operation
    def join(self, evaluation_id: str, cohort_id: str) -> Call[CohortPlace]:
        """Join a cohort. The class starts when it is full. A second call gives the same place, with status 200."""
        return Call(
            "POST", f"/api/v1/evaluations/{in_path(evaluation_id)}/cohorts/{in_path(cohort_id)}/join", CohortPlace
        )

    @operation
    def leave(self, evaluation_id: str, cohort_id: str) -> Call[CohortPlace]:
        """Leave a cohort. This cancels your registration and uses no try. You can still read the session of a running class."""
        return Call(
            "POST", f"/api/v1/evaluations/{in_path(evaluation_id)}/cohorts/{in_path(cohort_id)}/leave", CohortPlace
        )

    @operation
    def start(self, evaluation_id: str, cohort_id: str) -> Call[OneCohort]:
        """Start the class that you lead. Its session opens, and its time begins."""
        return Call(
            "POST", f"/api/v1/evaluations/{in_path(evaluation_id)}/cohorts/{in_path(cohort_id)}/start", OneCohort
        )

    @operation
    def finish(self, evaluation_id: str, cohort_id: str) -> Call[OneCohort]:
        """End the class that you lead. Its work is marked. A class that has not started, or has too few left, is cancelled."""
        return Call(
            "POST", f"/api/v1/evaluations/{in_path(evaluation_id)}/cohorts/{in_path(cohort_id)}/finish", OneCohort
        )
