"""The route of figures about contributions.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.calls import Call
from viva.client.describing import OperationGroup, RunnerType, operation
from viva.client.structs import ContributionAnalytics


class ContributionAnalyticsOperations(OperationGroup[RunnerType]):
    """The route of figures about contributions."""

    @operation
    def show_analytics(self) -> Call[ContributionAnalytics]:
        """Show how many evaluations were contributed, how fast they are reviewed, and who contributed them."""
        return Call("GET", "/api/v1/evaluations/contribute/analytics", ContributionAnalytics)
