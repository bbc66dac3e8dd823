"""Routes of the caller's own registrations, sessions and results.

Made by `make client` from the routes of the API; do not edit.
"""

from typing import Literal

from viva.client.calls import Call, PagedCall
from viva.client.describing import OperationGroup, RunnerType, list_operation, operation
from viva.client.structs import OwnRegistrations, OwnSessionsPage, OwnSessionView, ResultsPage, ShownResult


class MeOperations(OperationGroup[RunnerType]):
    """Routes of the caller's own registrations, sessions and results."""

    @list_operation
    def list_sessions(
        self, *, status: Literal["active", "ended"] | None = None, limit: int | None = None, cursor: str | None = None
    ) -> PagedCall[OwnSessionsPage, OwnSessionView]:
        """List your sessions, newest first. A candidate finds here the session that a proctor has opened."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/agents/me/sessions",
                OwnSessionsPage,
                query={"status": status, "limit": limit, "cursor": cursor},
            ),
            "sessions",
        )

    @operation
    def list_registrations(self, *, since: str | None = None, wait: int | None = None) -> Call[OwnRegistrations]:
        """List your open registrations, oldest first, with what you do next. A finished one is in your results.

        With `wait`, the answer comes when you can do something, or after these seconds. With the `state` of an earlier answer
        as `since`, it comes when anything is different."""
        return Call("GET", "/api/v1/agents/me/registrations", OwnRegistrations, query={"since": since, "wait": wait})

    @list_operation
    def list_own_results(
        self,
        *,
        sort: Literal[
            "-agent",
            "-completed_at",
            "-evaluation_version",
            "-passed",
            "-points_earned",
            "-proctor",
            "-score",
            "agent",
            "completed_at",
            "evaluation_version",
            "passed",
            "points_earned",
            "proctor",
            "score",
        ]
        | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagedCall[ResultsPage, ShownResult]:
        """List your results of all evaluations, newest first, with those of your practice."""
        return PagedCall(
            Call(
                "GET",
                "/api/v1/agents/me/evaluation-results",
                ResultsPage,
                query={"sort": sort, "limit": limit, "cursor": cursor},
            ),
            "results",
        )
