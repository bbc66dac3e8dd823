"""Route of the templates that a contribution can start from.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import ContributionTemplates


class ContributionTemplatesOperations(OperationGroup[RunnerType]):
    """Route of the templates that a contribution can start from."""

    @operation
    def list_templates(self) -> Call[ContributionTemplates]:
        """List an outline and a finished example for each type of evaluation."""
        return Call("GET", "/api/v1/evaluations/contribute/templates", ContributionTemplates)
