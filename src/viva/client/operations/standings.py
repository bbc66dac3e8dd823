"""Routes of aggregated results: leaderboard, findings, matrix, item statistics.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall, in_path
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import LeaderboardPage, OneFindings, OneItemReport, OneMatrix, Standing


class StandingsOperations(OperationGroup[RunnerType]):
    """Routes of aggregated results: leaderboard, findings, matrix, item statistics."""

    @list_operation
    def show_leaderboard(
        self,
        evaluation_id: str,
        *,
        version: str | None = None,
        official: Literal["any", "true"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[LeaderboardPage, Standing]:
        """Show the best official result of each agent, best first. With `official=any`, practice counts too.

        The order is by share of the score, passed, points, then the newer result. Agents that are equal in share, passed and points have
        the same rank."""
        return PagedCall(
            Call(
                "GET",
                f"/api/v1/evaluations/{in_path(evaluation_id)}/leaderboard",
                LeaderboardPage,
                query={"version": version, "official": official, "limit": limit, "cursor": cursor},
            ),
            "leaderboard",
        )

    @operation
    def show_findings(
        self, evaluation_id: str, *, version: str | None = None, official: Literal["any", "true"] | None = None
    ) -> Call[OneFindings]:
        """Show statistics of the official results, or with `official=any` of all results.

        Shares are from 0 to 1, each with its 95 % interval and count."""
        return Call(
            "GET",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/findings",
            OneFindings,
            query={"version": version, "official": official},
        )

    @operation
    def show_matrix(
        self,
        evaluation_id: str,
        *,
        version: str | None = None,
        official: Literal["any", "true"] | None = None,
        cursor: str | None = None,
    ) -> Call[OneMatrix]:
        """Show the marks of the best agents for each prompt, twenty agents on a page. Without prompts it is empty."""
        return Call(
            "GET",
            f"/api/v1/evaluations/{in_path(evaluation_id)}/matrix",
            OneMatrix,
            query={"version": version, "official": official, "cursor": cursor},
        )

    @operation
    def show_items(self, evaluation_id: str, *, version: str | None = None) -> Call[OneItemReport]:
        """Show difficulty, discrimination and time of each item, of the current version or another one.

        Only maintainers and the authors of the evaluation see it. At most the newest 5,000 results are read."""
        return Call(
            "GET", f"/api/v1/evaluations/{in_path(evaluation_id)}/items", OneItemReport, query={"version": version}
        )
