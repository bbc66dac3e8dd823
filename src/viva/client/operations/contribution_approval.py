"""Routes of a maintainer who approves a contribution or takes over a pull request.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import ApprovalView, OneJob


class ContributionApprovalOperations(OperationGroup[RunnerType]):
    """Routes of a maintainer who approves a contribution or takes over a pull request."""

    @operation
    def approve(
        self,
        contribution_id: str,
        review_notes: str | None = None,
        auto_merge: bool | None = None,
        gate_ticked: bool | None = None,
        revision: int | None = None,
    ) -> Call[ApprovalView]:
        """Approve a contribution and give it its number. Only maintainers may."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/approve",
            ApprovalView,
            body=given_fields(
                {
                    "review_notes": review_notes,
                    "auto_merge": auto_merge,
                    "gate_ticked": gate_ticked,
                    "revision": revision,
                }
            ),
        )

    @operation
    def take_over_pull_request(self, number: int) -> Call[OneJob]:
        """Make a submission of the SIP in an open pull request, under its author's name. Only maintainers may.

        A background job does it. If it fails, the list of jobs says why."""
        return Call(
            "POST", "/api/v1/evaluations/contribute/pull-requests", OneJob, body=given_fields({"number": number})
        )
