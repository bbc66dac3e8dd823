"""Routes of reviews: the queue, a maintainer's decisions, comments, and the review by the community.

Made by `make client` from the routes of the API; do not edit.
"""

from datetime import datetime
from typing import Literal

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import (
    CommentsPage,
    CommunityPage,
    CommunitySummary,
    ContributionComment,
    ContributionsPage,
    ContributionSummary,
    OneComment,
    OneCommunityView,
    OneContribution,
    OneGate,
    ReviewAnswer,
)


class ContributionReviewsOperations(OperationGroup[RunnerType]):
    """Routes of reviews: the queue, a maintainer's decisions, comments, and the review by the community."""

    @list_operation
    def list_queue(
        self,
        *,
        status: Literal["approved", "merged", "rejected", "submitted", "under_review"] | None = None,
        contributor: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> PagedCall[ContributionsPage, ContributionSummary]:
        """List submissions, the oldest first; without a status, those that await a review. Only maintainers may."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/evaluations/contribute/queue",
                ContributionsPage,
                query={
                    "status": status,
                    "contributor": contributor,
                    "since": since,
                    "until": until,
                    "limit": limit,
                    "offset": offset,
                },
            ),
            "contributions",
            "offset",
        )

    @operation
    def show_review(self, contribution_id: str) -> Call[ReviewAnswer]:
        """Open a submission for review. It is `under_review` from now on. Only maintainers may."""
        return Call("GET", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/review", ReviewAnswer)

    @operation
    def check_gate_again(self, contribution_id: str) -> Call[OneGate]:
        """Run the anti-gaming gate once more for a submission, in the background. Only maintainers may."""
        return Call("POST", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/gate", OneGate)

    @operation
    def request_changes(self, contribution_id: str, feedback: str) -> Call[OneContribution]:
        """Give a submission back to its contributor as a draft, with your feedback. Only maintainers may."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/request-changes",
            OneContribution,
            body=given_fields({"feedback": feedback}),
        )

    @operation
    def reject_contribution(self, contribution_id: str, reason: str) -> Call[OneContribution]:
        """Reject a submission for good, with your reason. Only maintainers may."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/reject",
            OneContribution,
            body=given_fields({"reason": reason}),
        )

    @list_operation
    def list_comments(
        self, contribution_id: str, *, limit: int | None = None, offset: int | None = None
    ) -> PagedCall[CommentsPage, ContributionComment]:
        """List comments, newest first. Strangers see those of the community, if the contribution is open to it."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/comments",
                CommentsPage,
                query={"limit": limit, "offset": offset},
            ),
            "comments",
            "offset",
        )

    @operation
    def add_comment(self, contribution_id: str, text: str, field: str | None = None) -> Call[OneComment]:
        """Comment on a contribution. Comments of contributors and maintainers are not for the community."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/comments",
            OneComment,
            body=given_fields({"text": text, "field": field}),
        )

    @list_operation
    def list_community(
        self, *, limit: int | None = None, offset: int | None = None
    ) -> PagedCall[CommunityPage, CommunitySummary]:
        """List the submissions that are open to the community, newest first."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/evaluations/contribute/community",
                CommunityPage,
                query={"limit": limit, "offset": offset},
            ),
            "contributions",
            "offset",
        )

    @operation
    def show_community(self, contribution_id: str) -> Call[OneCommunityView]:
        """Show what everybody may see of a submission that is open to the community."""
        return Call("GET", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/community", OneCommunityView)

    @operation
    def open_to_community(self, contribution_id: str, is_open: bool | None = None) -> Call[OneContribution]:
        """Open your contribution to comments and votes of the community, or close it. It shows once it is submitted."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/community",
            OneContribution,
            body=given_fields({"is_open": is_open}),
        )

    @operation
    def vote_on_contribution(self, contribution_id: str, vote: Literal[-1, 0, 1]) -> Call[OneCommunityView]:
        """Vote on a submission that is open to the community. Your last vote counts."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/votes",
            OneCommunityView,
            body=given_fields({"vote": vote}),
        )
