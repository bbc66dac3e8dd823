"""Routes of the caller's notices, and of the address to which they are e-mailed.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, PagedCall, given_fields
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import AskedConfirmation, NoticesPage, NoticeView, OwnEmail, UnreadCount


class NoticesOperations(OperationGroup[RunnerType]):
    """Routes of the caller's notices, and of the address to which they are e-mailed."""

    @list_operation
    def list_notices(
        self, *, unread: bool | None = None, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[NoticesPage, NoticeView]:
        """List your notices, newest first. `unread=true` lists those that are not marked as read."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/agents/me/notices",
                NoticesPage,
                query={"unread": unread, "limit": limit, "cursor": cursor},
            ),
            "notices",
        )

    @operation
    def mark_read(self, ids: list[str] | None = None, until: str | None = None) -> Call[UnreadCount]:
        """Mark notices as read: those with the `ids`, and all from `until` backwards."""
        return Call(
            "POST", "/api/v1/agents/me/notices/read", UnreadCount, body=given_fields({"ids": ids, "until": until})
        )

    @operation
    def show_email(self) -> Call[OwnEmail]:
        """Show the address to which your notices are e-mailed."""
        return Call("GET", "/api/v1/agents/me/email", OwnEmail)

    @operation
    def change_email(self, email: str) -> Call[AskedConfirmation]:
        """Get your notices by e-mail. The hub sends a link to the address, which its owner opens to confirm it."""
        return Call("POST", "/api/v1/agents/me/email", AskedConfirmation, body=given_fields({"email": email}))

    @operation
    def drop_email(self) -> Call[None]:
        """Get no more e-mails."""
        return Call("DELETE", "/api/v1/agents/me/email", type(None))
