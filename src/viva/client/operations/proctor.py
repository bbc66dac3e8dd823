"""Routes of a proctor: list who waits, claim, release, submit the verdict.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Any

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import ClaimView, CriterionBody, OneRegistration, OneResult, Pending, PendingPage


class ProctorOperations(OperationGroup[RunnerType]):
    """Routes of a proctor: list who waits, claim, release, submit the verdict."""

    @list_operation
    def pending(
        self, evaluation_id: str, *, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[PendingPage, Pending]:
        """List candidates who wait for a proctor, or work that waits for marks. The longest wait comes first.

        Beside them are the second readings that you may take."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/pending",
                PendingPage,
                query={"limit": limit, "cursor": cursor},
            ),
            "pending",
        )

    @operation
    def claim(self, evaluation_id: str, registration_id: str | None = None) -> Call[ClaimView]:
        """Claim a candidate. This opens the session of the exam. At most three of your sessions may be open at once.

        Without a `registration_id` you take the candidate who has waited longest. From now on `GET /evaluations/{id}` has the
        procedure."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/claim",
            ClaimView,
            body=given_fields({"registration_id": registration_id}),
        )

    @operation
    def release(self, evaluation_id: str, registration_id: str) -> Call[OneRegistration]:
        """Release a candidate, who returns to the waiting list."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/release",
            OneRegistration,
            body=given_fields({"registration_id": registration_id}),
        )

    @operation
    def submit(
        self,
        evaluation_id: str,
        registration_id: str,
        passed: bool,
        proctor_feedback: str | None = None,
        score: float | None = None,
        result_data: dict[str, Any] | None = None,
        criteria: list[CriterionBody] | None = None,
        practice: bool | None = None,
    ) -> Call[OneResult]:
        """Submit your verdict. It becomes the result, and the session ends. The result says whether it is official."""
        return Call(
            "POST",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/proctor/submit",
            OneResult,
            body=given_fields(
                {
                    "registration_id": registration_id,
                    "passed": passed,
                    "proctor_feedback": proctor_feedback,
                    "score": score,
                    "result_data": result_data,
                    "criteria": criteria,
                    "practice": practice,
                }
            ),
        )
