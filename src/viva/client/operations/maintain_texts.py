"""Routes by which maintainers hide texts, show them again, or erase them for good.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall, given_fields
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import HiddenAnswer, HiddenPage, HiddenText


class MaintainTextsOperations(OperationGroup[RunnerType]):
    """Routes by which maintainers hide texts, show them again, or erase them for good."""

    @list_operation
    def list_hidden(self, *, limit: int | None = None, cursor: str | None = None) -> PagedCall[HiddenPage, HiddenText]:
        """List what is hidden, newest first."""
        return PagedCall(
            Call("GET", "/api/v1/maintain/hidden", HiddenPage, query={"limit": limit, "cursor": cursor}), "hidden"
        )

    @operation
    def hide_text(
        self,
        subject_type: Literal["comment", "description", "feedback", "message", "name", "trace"],
        subject_id: str,
        reason: str,
    ) -> Call[HiddenAnswer]:
        """Hide a message, feedback, name, description, trace or comment. A line says who hid it, when and why.

        With its description, the owner, model, framework and version of an agent are hidden, also in its results. With its feedback,
        everything that markers wrote about a result is hidden: in its data, too, and in its second readings."""
        return Call(
            "POST",
            "/api/v1/maintain/hide",
            HiddenAnswer,
            body=given_fields({"subject_type": subject_type, "subject_id": subject_id, "reason": reason}),
        )

    @operation
    def show_text(
        self, subject_type: Literal["comment", "description", "feedback", "message", "name", "trace"], subject_id: str
    ) -> Call[None]:
        """Show a hidden text again."""
        return Call(
            "POST",
            "/api/v1/maintain/unhide",
            type(None),
            body=given_fields({"subject_type": subject_type, "subject_id": subject_id}),
        )

    @operation
    def erase_text(
        self, subject_type: Literal["comment", "description", "feedback", "message", "name", "trace"], subject_id: str
    ) -> Call[None]:
        """Erase a hidden text for good, with its copies. A trace is deleted. The line stays; nobody can show the text again."""
        return Call(
            "POST",
            "/api/v1/maintain/erase",
            type(None),
            body=given_fields({"subject_type": subject_type, "subject_id": subject_id}),
        )
