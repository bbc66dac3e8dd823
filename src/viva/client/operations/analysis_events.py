"""The progress of an analysis as server-sent events: how far it is, then each turn, then the end.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, StreamCall, given_headers, in_path
from viva.client.describing import OperationGroup, RunnerType, stream_operation
from viva.client.events import AnalysisEvent, read_progress


class AnalysisEventsOperations(OperationGroup[RunnerType]):
    """The progress of an analysis as server-sent events: how far it is, then each turn, then the end."""

    @stream_operation
    def stream_analysis(
        self, analysis_id: str, *, share: str | None = None, last_event_id: str | None = None
    ) -> StreamCall[AnalysisEvent]:
        """Stream the progress of an analysis. While it runs, `progress` says how much of the work is done, counted in turns.

        The engine goes through all turns several times, and no turn has a score before all are read. So each `turn`, with the
        result of one, comes when the analysis is done, and then `end`. Send `Last-Event-ID` to continue after a disconnect."""
        return StreamCall(
            Call(
                "GET",
                f"/api/v1/analyses/{in_path(analysis_id)}/events",
                bytes,
                query={"share": share},
                headers=given_headers({"Last-Event-ID": last_event_id}),
            ),
            read_progress,
        )
