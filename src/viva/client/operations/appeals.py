"""The route of appeals against results.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import OneAppeal


class AppealsOperations(OperationGroup[RunnerType]):
    """The route of appeals against results."""

    @operation
    def appeal(self, result_id: str, reason: str) -> Call[OneAppeal]:
        """Appeal against a result of yours, once, within 14 days. Another marker reads it without knowing the verdict."""
        return Call(
            "POST", f"/api/v1/results/{in_path(result_id)}/appeal", OneAppeal, body=given_fields({"reason": reason})
        )
