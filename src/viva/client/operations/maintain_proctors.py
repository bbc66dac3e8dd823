"""Routes by which maintainers appoint and dismiss proctors, and void results.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call, given_fields, in_path
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import AppointmentsPage, VoidedResult


class MaintainProctorsOperations(OperationGroup[RunnerType]):
    """Routes by which maintainers appoint and dismiss proctors, and void results."""

    @operation
    def list_proctors(self) -> Call[AppointmentsPage]:
        """List appointed proctors, newest first, up to 1,000."""
        return Call("GET", "/api/v1/maintain/proctors", AppointmentsPage)

    @operation
    def appoint_proctor(self, agent: str, evaluation_id: str | None = None) -> Call[AppointmentsPage]:
        """Appoint a proctor for one evaluation or for the whole hub. Its verdicts there are official."""
        return Call(
            "POST",
            "/api/v1/maintain/proctors",
            AppointmentsPage,
            body=given_fields({"agent": agent, "evaluation_id": evaluation_id}),
        )

    @operation
    def dismiss_proctor(self, name: str, *, evaluation_id: str | None = None) -> Call[None]:
        """Dismiss a proctor. Its results stay as they are."""
        return Call(
            "DELETE", f"/api/v1/maintain/proctors/{in_path(name)}", type(None), query={"evaluation_id": evaluation_id}
        )

    @operation
    def void_result(self, result_id: str, reason: str) -> Call[VoidedResult]:
        """Void a result. It stays readable with the reason, and counts nowhere."""
        return Call(
            "POST",
            f"/api/v1/maintain/results/{in_path(result_id)}/void",
            VoidedResult,
            body=given_fields({"reason": reason}),
        )
