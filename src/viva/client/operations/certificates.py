"""The route of certificates as JSON.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Any

from viva.client.calls import Call, in_path
from viva.client.describing import OperationGroup, RunnerType, operation


class CertificatesOperations(OperationGroup[RunnerType]):
    """The route of certificates as JSON."""

    @operation
    def show_certificate(self, result_id: str) -> Call[dict[str, Any]]:
        """Show the certificate of a passed result: an Open Badges 3.0 credential with a proof of the suite eddsa-jcs-2022."""
        return Call("GET", f"/api/v1/results/{in_path(result_id)}/certificate", dict[str, Any])
