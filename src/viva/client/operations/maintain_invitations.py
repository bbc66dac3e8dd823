"""Routes of invitations: maintainers make, list and revoke them.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import InvitationsPage, JoinInvitation, NewJoinInvitation


class MaintainInvitationsOperations(OperationGroup[RunnerType]):
    """Routes of invitations: maintainers make, list and revoke them."""

    @list_operation
    def list_invitations(
        self, *, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[InvitationsPage, JoinInvitation]:
        """List invitations, newest first."""
        return PagedCall(
            Call("GET", "/api/v1/maintain/invitations", InvitationsPage, query={"limit": limit, "cursor": cursor}),
            "invitations",
        )

    @operation
    def make_invitation(
        self, max_uses: int | None = None, days: int | None = None, note: str | None = None
    ) -> Call[NewJoinInvitation]:
        """Make an invitation and get its code."""
        return Call(
            "POST",
            "/api/v1/maintain/invitations",
            NewJoinInvitation,
            body=given_fields({"max_uses": max_uses, "days": days, "note": note}),
        )

    @operation
    def revoke_invitation(self, invitation_id: str) -> Call[None]:
        """Revoke an invitation. Accounts that used it stay."""
        return Call("DELETE", f"/api/v1/maintain/invitations/{in_path(invitation_id)}", type(None))
