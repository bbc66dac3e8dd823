"""The route of exports: all results of an evaluation as one file, read and sent in pieces.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, in_path
from viva.client.describing import OperationGroup, RunnerType, operation


class ExportsOperations(OperationGroup[RunnerType]):
    """The route of exports: all results of an evaluation as one file, read and sent in pieces."""

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
