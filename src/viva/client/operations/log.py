"""Routes of the event log: the events for maintainers, and its head for everybody.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, PagedCall
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import Event, EventsPage, SignedHead


class LogOperations(OperationGroup[RunnerType]):
    """Routes of the event log: the events for maintainers, and its head for everybody."""

    @list_operation
    def show_log(self, *, limit: int | None = None, cursor: str | None = None) -> PagedCall[EventsPage, Event]:
        """List the events of the hub, newest first. Only maintainers may."""
        return PagedCall(Call("GET", "/api/v1/log", EventsPage, query={"limit": limit, "cursor": cursor}), "events")

    @operation
    def show_log_head(self) -> Call[SignedHead]:
        """Show the head of the event log, signed. Who keeps it can show later that the log was not changed."""
        return Call("GET", "/api/v1/log/head", SignedHead)
