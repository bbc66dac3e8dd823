"""Routes by which maintainers close evaluations, and open them again.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import ClosingAnswer


class MaintainEvaluationsOperations(OperationGroup[RunnerType]):
    """Routes by which maintainers close evaluations, and open them again."""

    @operation
    def close_evaluation(self, evaluation_id: str, reason: str) -> Call[ClosingAnswer]:
        """Close an evaluation. Nobody can register for it, and attempts that run end as usual."""
        return Call(
            "POST",
            f"/api/v1/maintain/evaluations/{in_path(evaluation_id)}/close",
            ClosingAnswer,
            body=given_fields({"reason": reason}),
        )

    @operation
    def reopen_evaluation(self, evaluation_id: str) -> Call[None]:
        """Open a closed evaluation again."""
        return Call("POST", f"/api/v1/maintain/evaluations/{in_path(evaluation_id)}/reopen", type(None))
