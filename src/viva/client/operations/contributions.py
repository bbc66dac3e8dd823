"""Routes of contributions: draft, change, validate, submit and fork a proposed evaluation.

Made by `make client` from the routes of the API; do not edit.
"""

from datetime import datetime
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from viva.client.calls import Call, PagedCall, given_fields, given_headers, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import (
    ContributionPreview,
    ContributionsPage,
    ContributionSummary,
    NewContribution,
    OneContribution,
    SubmittedContribution,
    Validation,
)


class ContributionsOperations(OperationGroup[RunnerType]):
    """Routes of contributions: draft, change, validate, submit and fork a proposed evaluation."""

    @operation
    def create_contribution(
        self,
        evaluation_id: str | None = None,
        title: str | None = None,
        name: str | None = None,
        description: str | None = None,
        module: str | None = None,
        department: str | UnsetType | None = UNSET,
        type: str | None = None,
        config: dict[str, Any] | None = None,
        executable_handler: str | None = None,
        executable_script_path: str | UnsetType | None = UNSET,
        executable_code: str | UnsetType | None = UNSET,
        prerequisites: list[str] | None = None,
        research_basis: str | UnsetType | None = UNSET,
        research_mapping: list[Any] | None = None,
        exemplars: list[Any] | None = None,
        points: float | None = None,
        version: str | None = None,
        author: str | None = None,
        body: str | None = None,
        contributor_name: str | None = None,
        contributor_email: str | None = None,
        revision: int | None = None,
        updated_at: datetime | None = None,
    ) -> Call[NewContribution]:
        """Begin a draft. Without an API key, give `contributor_name` and `contributor_email`; you get a token."""
        return Call(
            "POST",
            "/api/v1/evaluations/contribute",
            NewContribution,
            body=given_fields(
                {
                    "evaluation_id": evaluation_id,
                    "title": title,
                    "name": name,
                    "description": description,
                    "module": module,
                    "department": department,
                    "type": type,
                    "config": config,
                    "executable_handler": executable_handler,
                    "executable_script_path": executable_script_path,
                    "executable_code": executable_code,
                    "prerequisites": prerequisites,
                    "research_basis": research_basis,
                    "research_mapping": research_mapping,
                    "exemplars": exemplars,
                    "points": points,
                    "version": version,
                    "author": author,
                    "body": body,
                    "contributor_name": contributor_name,
                    "contributor_email": contributor_email,
                    "revision": revision,
                    "updated_at": updated_at,
                },
                (
                    "department",
                    "executable_script_path",
                    "executable_code",
                    "research_basis",
                ),
            ),
        )

    @list_operation
    def list_drafts(
        self,
        *,
        status: Literal["approved", "draft", "in_progress", "merged", "rejected", "submitted", "under_review"]
        | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> PagedCall[ContributionsPage, ContributionSummary]:
        """List your contributions, last changed first. With a token, this is the contribution that it opens."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/evaluations/contribute/drafts",
                ContributionsPage,
                query={"status": status, "limit": limit, "offset": offset},
            ),
            "contributions",
            "offset",
        )

    @operation
    def show_contribution(self, contribution_id: str) -> Call[OneContribution]:
        """Show a contribution to its contributors and to maintainers."""
        return Call("GET", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}", OneContribution)

    @operation
    def change_contribution(
        self,
        contribution_id: str,
        evaluation_id: str | None = None,
        title: str | None = None,
        name: str | None = None,
        description: str | None = None,
        module: str | None = None,
        department: str | UnsetType | None = UNSET,
        type: str | None = None,
        config: dict[str, Any] | None = None,
        executable_handler: str | None = None,
        executable_script_path: str | UnsetType | None = UNSET,
        executable_code: str | UnsetType | None = UNSET,
        prerequisites: list[str] | None = None,
        research_basis: str | UnsetType | None = UNSET,
        research_mapping: list[Any] | None = None,
        exemplars: list[Any] | None = None,
        points: float | None = None,
        version: str | None = None,
        author: str | None = None,
        body: str | None = None,
        contributor_name: str | None = None,
        contributor_email: str | None = None,
        revision: int | None = None,
        updated_at: datetime | None = None,
        *,
        if_match: str | None = None,
    ) -> Call[OneContribution]:
        """Change a draft, all of it or some columns. With the `revision` that you read, nobody's change gets lost."""
        return Call(
            "PUT",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}",
            OneContribution,
            body=given_fields(
                {
                    "evaluation_id": evaluation_id,
                    "title": title,
                    "name": name,
                    "description": description,
                    "module": module,
                    "department": department,
                    "type": type,
                    "config": config,
                    "executable_handler": executable_handler,
                    "executable_script_path": executable_script_path,
                    "executable_code": executable_code,
                    "prerequisites": prerequisites,
                    "research_basis": research_basis,
                    "research_mapping": research_mapping,
                    "exemplars": exemplars,
                    "points": points,
                    "version": version,
                    "author": author,
                    "body": body,
                    "contributor_name": contributor_name,
                    "contributor_email": contributor_email,
                    "revision": revision,
                    "updated_at": updated_at,
                },
                (
                    "department",
                    "executable_script_path",
                    "executable_code",
                    "research_basis",
                ),
            ),
            headers=given_headers({"If-Match": if_match}),
        )

    @operation
    def delete_contribution(self, contribution_id: str) -> Call[None]:
        """Delete a draft. What was submitted cannot be deleted."""
        return Call("DELETE", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}", type(None))

    @operation
    def validate_contribution(self, contribution_id: str) -> Call[Validation]:
        """Validate a contribution without submitting it. All errors and warnings come at once."""
        return Call("POST", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/validate", Validation)

    @operation
    def submit_contribution(self, contribution_id: str) -> Call[SubmittedContribution]:
        """Submit a draft for review. With errors it stays a draft, and the answer lists them."""
        return Call("POST", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/submit", SubmittedContribution)

    @operation
    def preview_contribution(self, contribution_id: str) -> Call[ContributionPreview]:
        """Show the document as it would be published."""
        return Call("GET", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/preview", ContributionPreview)

    @operation
    def fork_contribution(
        self, contribution_id: str, contributor_name: str | None = None, contributor_email: str | None = None
    ) -> Call[NewContribution]:
        """Begin a draft with the content of an evaluation (`SIP-5` or its id) or of a contribution that you can read.

        Only maintainers get the answers and the rubric of an evaluation."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/fork",
            NewContribution,
            body=given_fields({"contributor_name": contributor_name, "contributor_email": contributor_email}),
        )
