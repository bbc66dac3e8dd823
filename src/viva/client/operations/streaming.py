"""The messages of a session as server-sent events. Each event is a message in JSON, and its id is the sequence.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, StreamCall, given_headers, in_path
from viva.client.describing import OperationGroup, RunnerType, stream_operation
from viva.client.events import read_message
from viva.client.structs import Message


class StreamingOperations(OperationGroup[RunnerType]):
    """The messages of a session as server-sent events. Each event is a message in JSON, and its id is the sequence."""

    @stream_operation
    def stream_messages(
        self, evaluation_id: str, session_id: str, *, since: str | None = None, last_event_id: str | None = None
    ) -> StreamCall[Message]:
        """Stream new messages as server-sent events. Send `Last-Event-ID` to continue after a disconnect."""
        return StreamCall(
            Call(
                "GET",
                f"/api/v1/evaluations/{in_path(evaluation_id)}/sessions/{in_path(session_id)}/messages/stream",
                bytes,
                query={"since": since},
                headers=given_headers({"Last-Event-ID": last_event_id}),
            ),
            read_message,
        )
