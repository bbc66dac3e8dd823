"""The route that takes traces: one, a list, or JSON lines that are stored while they arrive.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import UploadAnswer


class UploadsOperations(OperationGroup[RunnerType]):
    """The route that takes traces: one, a list, or JSON lines that are stored while they arrive."""

    @operation
    def upload_traces(
        self,
        content: bytes,
        *,
        dataset: str | None = None,
        tags: str | None = None,
        judge: bool | None = None,
        fast: bool | None = None,
        media_type: Literal[
            "application/json",
            "application/x-ndjson",
            "application/jsonl",
            "application/x-jsonlines",
            "application/octet-stream",
        ] = "application/json",
    ) -> Call[UploadAnswer]:
        """Upload recorded runs: one trace or a list as JSON, JSON lines as `application/x-ndjson`, or any file that
        `viva analyze` reads as `application/octet-stream`.

        A document of JSON is stored whole or not at all. JSON lines are stored while they arrive, each line by itself; the
        answer names the traces that are stored and every line that is not. With an `Idempotency-Key`, an upload can be
        repeated after a break: what is stored already is not stored twice."""
        return Call(
            "POST",
            "/api/v1/traces",
            UploadAnswer,
            query={"dataset": dataset, "tags": tags, "judge": judge, "fast": fast},
            body=content,
            media_type=media_type,
        )
