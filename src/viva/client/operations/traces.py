"""Routes of traces: list, show, change, share and delete them.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from msgspec import UNSET, UnsetType

from viva.client.calls import Call, PagedCall, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import OneTrace, ReceivedSpans, SharedTrace, TracesPage, TraceView, WholeTrace


class TracesOperations(OperationGroup[RunnerType]):
    """Routes of traces: list, show, change, share and delete them."""

    @list_operation
    def list_traces(
        self,
        *,
        dataset: str | None = None,
        tag: str | None = None,
        form: str | None = None,
        q: str | None = None,
        max_score: float | None = None,
        sort: Literal["-name", "-overall_score", "-received_at", "name", "overall_score", "received_at"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[TracesPage, TraceView]:
        """List your traces, newest first. `q` is a part of the name; `max_score` leaves out better runs."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/traces",
                TracesPage,
                query={
                    "dataset": dataset,
                    "tag": tag,
                    "form": form,
                    "q": q,
                    "max_score": max_score,
                    "sort": sort,
                    "limit": limit,
                    "cursor": cursor,
                },
            ),
            "traces",
        )

    @operation
    def show_trace(self, trace_id: str, *, share: str | None = None) -> Call[WholeTrace]:
        """Show a trace as it was read, for its owner or with a share link."""
        return Call("GET", f"/api/v1/traces/{in_path(trace_id)}", WholeTrace, query={"share": share})

    @operation
    def show_spans(self, otel_trace_id: str) -> Call[ReceivedSpans]:
        """Show what became of the spans that you sent to `/v1/traces`, by the trace id of OpenTelemetry.

        While others may come, `is_waiting` is true. Spans that cannot be read are deleted after a day."""
        return Call("GET", f"/api/v1/traces/opentelemetry/{in_path(otel_trace_id)}", ReceivedSpans)

    @operation
    def change_trace(
        self, trace_id: str, tags: list[str] | None = None, dataset: str | UnsetType | None = UNSET
    ) -> Call[OneTrace]:
        """Change the tags of your trace, or its dataset."""
        return Call(
            "PATCH",
            f"/api/v1/traces/{in_path(trace_id)}",
            OneTrace,
            body=given_fields({"tags": tags, "dataset": dataset}, ("dataset",)),
        )

    @operation
    def delete_trace(self, trace_id: str) -> Call[None]:
        """Delete your trace with its text, its marks and its analyses."""
        return Call("DELETE", f"/api/v1/traces/{in_path(trace_id)}", type(None))

    @operation
    def share_trace(self, trace_id: str) -> Call[SharedTrace]:
        """Make a link by which anybody can see your trace and its analyses. An earlier link stops working."""
        return Call("POST", f"/api/v1/traces/{in_path(trace_id)}/share", SharedTrace)

    @operation
    def revoke_share(self, trace_id: str) -> Call[None]:
        """Revoke the share link of your trace."""
        return Call("DELETE", f"/api/v1/traces/{in_path(trace_id)}/share", type(None))
