"""Routes of a draft's history and of its collaborators.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import Collaborators, DraftHistory, NewInvitation, OneContribution, OneRevision


class ContributionHistoryOperations(OperationGroup[RunnerType]):
    """Routes of a draft's history and of its collaborators."""

    @operation
    def list_history(self, contribution_id: str) -> Call[DraftHistory]:
        """List the revisions of a draft."""
        return Call("GET", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/history", DraftHistory)

    @operation
    def show_revision(self, contribution_id: str, revision: int, *, against: int | None = None) -> Call[OneRevision]:
        """Show a revision and what changed in it, compared with the revision `against` or with the one before."""
        return Call(
            "GET",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/history/{in_path(revision)}",
            OneRevision,
            query={"against": against},
        )

    @operation
    def restore_revision(self, contribution_id: str, revision: int) -> Call[OneContribution]:
        """Make the content of an earlier revision the present one, as a new revision."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/restore",
            OneContribution,
            body=given_fields({"revision": revision}),
        )

    @operation
    def list_collaborators(self, contribution_id: str) -> Call[Collaborators]:
        """List who was invited to edit the draft."""
        return Call("GET", f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/collaborators", Collaborators)

    @operation
    def invite_collaborator(self, contribution_id: str, name: str) -> Call[NewInvitation]:
        """Invite somebody to edit your draft. Whoever has the token may read and change it."""
        return Call(
            "POST",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/collaborators",
            NewInvitation,
            body=given_fields({"name": name}),
        )

    @operation
    def join_draft(self, token: str, name: str | None = None) -> Call[OneContribution]:
        """Accept an invitation. With an API key, your account becomes a collaborator and the token ends."""
        return Call(
            "POST",
            "/api/v1/evaluations/contribute/join",
            OneContribution,
            body=given_fields({"token": token, "name": name}),
        )

    @operation
    def remove_collaborator(self, contribution_id: str, collaborator_id: str) -> Call[None]:
        """Remove a collaborator from your draft."""
        return Call(
            "DELETE",
            f"/api/v1/evaluations/contribute/{in_path(contribution_id)}/collaborators/{in_path(collaborator_id)}",
            type(None),
        )
