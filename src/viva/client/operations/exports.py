"""Routes of files that are read and sent in pieces: all results of an evaluation, and one result with its transcript.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, in_path
from viva.client.describing import OperationGroup, RunnerType, operation


class ExportsOperations(OperationGroup[RunnerType]):
    """Routes of files that are read and sent in pieces: all results of an evaluation, and one result with its transcript."""

    @operation
    def export_results(
        self,
        evaluation_id: str,
        *,
        format: Literal["csv", "jsonl", "parquet"] | None = None,
        version: str | None = None,
        official: Literal["any", "false", "true"] | None = None,
    ) -> Call[bytes]:
        """Export all results of an evaluation, or of one version, as a file. Each result is one row, oldest first.

        Each row has what the caller may see of the result. `official` and `official_reasons` tell official from practice
        results; the parameter `official` selects one kind. The file has the results of the moment of the request. If the
        export fails midway, the transfer stays unfinished, so that a client notices the incomplete file."""
        return Call(
            "GET",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/results/export",
            bytes,
            query={"format": format, "version": version, "official": official},
        )

    @operation
    def export_record(self, evaluation_id: str, result_id: str) -> Call[bytes]:
        """Download a result with its proof and its whole transcript, as one JSON file that can be verified without the hub.

        It has `result`, `proof`, `session_id`, `participants` and, if there was a session, `messages`."""
        return Call("GET", f"/api/v1/evaluations/{in_path(evaluation_id)}/results/{in_path(result_id)}/record", bytes)
